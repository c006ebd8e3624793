"""
How to cross-validate with unlabeled rows
=========================================

scikit-learn's splitters treat -1 as a class, train on some of the unlabeled rows and
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
# With a plain splitter, scikit-learn's scorers count nearly all predictions as wrong,
# because the model never predicts -1. Without ``scoring``, ``model.score`` raises an
# error for such rows.
plain = cross_val_score(model, X, y_partial, cv=4, scoring="accuracy").mean()
split = cross_val_score(model, X, y_partial, cv=cv).mean()
truth = model.fit(X, y_partial).score(X[~labeled], y[~labeled])
print(f"cv=4: {plain:.0%}, SemiSupervisedSplit(4): {split:.0%}, truth: {truth:.0%}")

# %%
# This figure shows the folds for the 60 labeled rows and the first 60 unlabeled ones.
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
# A grid search over the kernel width. The line for the unlabeled rows is the ground
# truth, which is unknown in practice. The lines diverge where gamma is large: held-out
# rows are *new* rows, which a narrow kernel does not reach, while unlabeled rows are
# nodes of the graph. The search therefore chooses a width that also suits new rows.
gammas = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3]
search = GridSearchCV(model, {"laplaciansvc__kernel__gamma": gammas}, cv=cv)
search.fit(X, y_partial)
truth = [
    model.set_params(laplaciansvc__kernel__gamma=gamma)
    .fit(X, y_partial)
    .score(X[~labeled], y[~labeled])
    for gamma in gammas
]
errors = 1 - np.array([search.cv_results_["mean_test_score"], truth])
display = PathDisplay.from_arrays(
    gammas,
    errors,
    parameter="gamma",
    series=["held-out labels", "unlabeled rows, ground truth"],
    mark_lowest=False,
)
spread = search.cv_results_["std_test_score"]
display.ax_.fill_between(
    gammas, errors[0] - spread, errors[0] + spread, color="#0072B2", alpha=0.15
)
display.ax_.set_ylim(bottom=0)
display.ax_.set_title("Held-out labels are few, and they are new rows")
plt.show()

# %%
# The band is the standard deviation over the folds. One label is 1.7 points of the
# estimate, so most of these widths cannot be distinguished.
