"""
Two moons, two labels each
==========================

A supervised SVC sees four labeled points; LaplacianSVC also sees how the unlabeled
ones hang together, and puts the boundary between the moons. The weights are set by
hand: along curves in the plane a Laplacian of power 1 is right, while the default is
made for data of many features.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from widemargin import LaplacianSVC
from widemargin.datasets import hide_labels, make_two_moons
from widemargin.labels import labeled_mask

X, y = make_two_moons(300, noise=0.08, random_state=0)
y_partial = hide_labels(y, 4, rng=3)
labeled = labeled_mask(y_partial)
models = {
    "SVC on the labels": SVC(C=10).fit(X[labeled], y[labeled]),
    "LaplacianSVC on all points": LaplacianSVC(
        gamma=4.0, ambient_reg=1e-3, intrinsic_reg=0.05, laplacian_power=1
    ).fit(X, y_partial),
}

grid = np.stack(np.meshgrid(np.linspace(-1.6, 2.6, 200), np.linspace(-1.2, 1.7, 200)))
points = grid.reshape(2, -1).T
colors = np.array(["#0072B2", "#D55E00"])
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    scores = model.decision_function(points).reshape(200, 200)
    ax.contourf(*grid, scores, levels=[-9, 0, 9], colors=colors, alpha=0.15)
    ax.contour(*grid, scores, levels=[0], colors="black")
    ax.scatter(*X.T, s=8, color="0.5")
    ax.scatter(*X[labeled].T, s=90, color=colors[y[labeled]], edgecolor="black")
    error = np.mean(model.predict(X[~labeled]) != y[~labeled])
    ax.set_title(f"{name}: {100 * error:.0f} % wrong")
    ax.set_xticks([])
    ax.set_yticks([])
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "two_moons.png", dpi=150)
