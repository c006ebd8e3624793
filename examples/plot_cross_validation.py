"""
Cross-validation with unlabeled rows
====================================

Splitters of scikit-learn take -1 for a class, train with some of the unlabeled rows and
score against the others. :class:`~widemargin.SemiSupervisedSplit` splits the labeled
rows only, keeps every unlabeled row in training, and scores known labels.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from widemargin import LaplacianSVC, SemiSupervisedSplit
from widemargin.datasets import hide_labels
from widemargin.labels import labeled_mask
from widemargin.plots import PathDisplay

X, y = load_digits(return_X_y=True)
X, y = X[:600], y[:600]
y_partial = hide_labels(y, 60, rng=0)
labeled = labeled_mask(y_partial)
model = make_pipeline(StandardScaler(), LaplacianSVC())
cv = SemiSupervisedSplit(4)

# %%
# The plain splitter says that nearly all predictions are wrong, since no row is ever
# predicted to be -1.
plain = cross_val_score(model, X, y_partial, cv=4).mean()
split = cross_val_score(model, X, y_partial, cv=cv).mean()
truth = model.fit(X, y_partial).score(X[~labeled], y[~labeled])
print(f"cv=4: {plain:.0%}, SemiSupervisedSplit(4): {split:.0%}, in truth: {truth:.0%}")

# %%
# What the folds are, for the 60 labeled rows and the first 60 others.
shown = np.concatenate([np.flatnonzero(labeled), np.flatnonzero(~labeled)[:60]])
folds = np.zeros((4, len(shown)))
for fold, (_, test) in zip(folds, cv.split(X, y_partial), strict=True):
    fold[np.isin(shown, test)] = 2
    fold[60:] = 1

looks = {
    "labeled, in training": "#0072B2",
    "unlabeled, in training": "#56B4E9",
    "labeled, scored": "#D55E00",
}
figure, ax = plt.subplots(figsize=(8, 2.4), layout="constrained")
cells = {"edgecolor": "white", "linewidth": 0.5}
ax.pcolormesh(folds, cmap=ListedColormap(list(looks.values())), **cells)
patches = [Patch(color=color, label=name) for name, color in looks.items()]
ax.set_yticks(np.arange(4) + 0.5, [f"fold {i + 1}" for i in range(4)])
ax.set(xlabel="row", title="Every unlabeled row is in training in every fold")
ax.invert_yaxis()
ax.spines[:].set_visible(False)
figure.legend(handles=patches, loc="outside lower center", ncols=3, frameon=False)
plt.show()

# %%
# In a grid search. The line of the unlabeled rows is the truth, which nobody knows who
# has 60 labels. Where gamma is large the two part: held-out rows are *new* rows, which
# a narrow kernel does not reach, while the unlabeled rows are nodes of the graph. Take
# the choice for what it is, one that is good for new rows, too.
gammas = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3]
search = GridSearchCV(model, {"laplaciansvc__gamma": gammas}, cv=cv)
search.fit(X, y_partial)
truth = [
    model.set_params(laplaciansvc__gamma=gamma)
    .fit(X, y_partial)
    .score(X[~labeled], y[~labeled])
    for gamma in gammas
]
errors = 1 - np.array([search.cv_results_["mean_test_score"], truth])
display = PathDisplay.from_arrays(
    gammas,
    errors,
    parameter="gamma",
    series=["held-out labels", "unlabeled rows, in truth"],
    mark_lowest=False,
)
spread = search.cv_results_["std_test_score"]
display.ax_.fill_between(
    gammas, errors[0] - spread, errors[0] + spread, color="#0072B2", alpha=0.15
)
display.ax_.set_ylim(bottom=0)
display.ax_.set_title("Held-out labels are coarse, and are new rows")
plt.show()

# %%
# The band is the standard deviation over the folds. One label is 1.7 points of the
# estimate, so that most of these settings cannot be told apart.
