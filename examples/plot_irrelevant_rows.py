"""
Unlabeled points that belong to no class
========================================

Two classes with three labels each, which are no fair sample, and unlabeled points of
which a third belongs to neither class. A transductive machine keeps its boundary away
from all unlabeled points, so that those of no class tilt it; the tri-class machine may
let them lie on its boundary, and tells them apart (crosses). Large points are labeled,
dotted lines are the margins.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs
from sklearn.svm import SVC

from widemargin import TransductiveSVC, TriClassSVC
from widemargin.labels import labeled_mask

centers = [[-2.5, 0], [2.5, 0], [0, 0]]
X, y = make_blobs(
    [100, 100, 100],
    centers=centers,
    cluster_std=[[0.7, 2.0], [0.7, 2.0], [0.5, 2.0]],
    shuffle=False,
    random_state=4,
)
y_partial = np.full(len(y), -1)
height = np.argsort(X[:200, 1].reshape(2, 100))  # labels are no fair sample
y_partial[height[0, [75, 85, 95]]] = 0
y_partial[100 + height[1, [5, 15, 25]]] = 1
labeled, relevant = labeled_mask(y_partial), y < 2
options = {"kernel": "linear", "C": 1.0, "unlabeled_weight": 1.0}
models = {
    "SVC on the labels": SVC(kernel="linear", C=1.0).fit(X[labeled], y[labeled]),
    "TransductiveSVC": TransductiveSVC(**options).fit(X, y_partial),
    "TriClassSVC": TriClassSVC(**options).fit(X, y_partial),
}

colors = np.array(["#0072B2", "#D55E00"])
x_axis, y_axis = np.meshgrid(np.linspace(-5.5, 5.5, 200), np.linspace(-6, 6, 200))
grid = np.column_stack([x_axis.ravel(), y_axis.ravel()])
figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    scores = model.decision_function(grid).reshape(x_axis.shape)
    levels, styles = [-1, 0, 1], ["dotted", "solid", "dotted"]
    ax.contour(x_axis, y_axis, scores, levels, colors="black", linestyles=styles)
    kept = np.ones(len(X), dtype=bool)
    if isinstance(model, TriClassSVC):
        kept = model.relevance_
        ax.scatter(*X[~kept].T, s=18, color="gray", marker="x")
    ax.scatter(*X[kept].T, s=12, color=colors[model.predict(X[kept])], alpha=0.6)
    ax.scatter(*X[labeled].T, s=90, color=colors[y[labeled]], edgecolor="black")
    error = np.mean(model.predict(X[relevant]) != y[relevant])
    ax.set_title(f"{name}: {100 * error:.0f} % of both classes wrong", fontsize=10)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "irrelevant_rows.png", dpi=150)
