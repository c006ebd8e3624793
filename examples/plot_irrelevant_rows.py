"""
What to do with unlabeled points that belong to no class
========================================================

Each of two classes has three labels, which are not a random sample. A third of the
unlabeled points belong to neither class. A transductive model keeps its boundary away
from all unlabeled points, so the points that belong to neither class tilt the boundary.
:class:`~widemargin.TriClassSVC` allows such points near its boundary and marks them as
irrelevant (crosses).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs
from sklearn.svm import SVC

from widemargin import TransductiveSVC, TriClassSVC
from widemargin.labels import labeled_mask
from widemargin.plots import DecisionDisplay, TransductionDisplay

X, y = make_blobs(
    [100, 100, 100],
    centers=[[-2.5, 0], [2.5, 0], [0, 0]],
    cluster_std=[[0.7, 2.0], [0.7, 2.0], [0.5, 2.0]],
    shuffle=False,
    random_state=4,
)
y_partial = np.full(len(y), -1)
height = np.argsort(X[:200, 1].reshape(2, 100))  # labels are not a random sample
y_partial[height[0, [75, 85, 95]]] = 0
y_partial[100 + height[1, [5, 15, 25]]] = 1
labeled, relevant = labeled_mask(y_partial), y < 2

# %%
# All three models have the same kernel and the same C. The errors are those on the
# points of the two classes.
options = {"kernel": "linear", "C": 1.0, "unlabeled_weight": 1.0}
models = {
    "SVC, labels alone": SVC(kernel="linear", C=1.0).fit(X[labeled], y[labeled]),
    "TransductiveSVC": TransductiveSVC(**options).fit(X, y_partial),
    "TriClassSVC": TriClassSVC(**options).fit(X, y_partial),
}

figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    DecisionDisplay.from_estimator(model, X, y_partial, ax=ax, legend=ax is axes[-1])
    error = (model.predict(X[relevant]) != y[relevant]).mean()
    ax.set(title=f"{name}\nerror on the two classes: {error:.0%}", ylabel="")
plt.show()

# %%
# The next plot shows the unlabeled points in one block per predicted class, sorted by
# margin. The points marked as irrelevant form the last block. Dots are mistakes: points
# of a class that were marked as irrelevant, and irrelevant points that were not.
display = TransductionDisplay.from_estimator(
    models["TriClassSVC"], X, y_partial, y_true=np.where(relevant, y, -1)
)
found = ~models["TriClassSVC"].relevance_
display.ax_.set_title(
    f"{(found & ~relevant).sum()} of {(~relevant).sum()} irrelevant points found, "
    f"{(found & relevant).sum()} other points marked by mistake"
)
plt.show()

# %%
# This data set suits the model, because the irrelevant points lie between the
# classes. Irrelevant points elsewhere get the label of the class on their side.
