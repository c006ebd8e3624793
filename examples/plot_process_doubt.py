"""
A Gaussian process that labels itself, and knows its doubt
==========================================================

Two bands on either side of a curve, with eight labels. A process of the labels alone
(left) guesses the curve; one that labels the other points itself finds the gap between
the bands (middle). Its standard deviation (right, darker is surer) is small where
points are, labeled or not, and large elsewhere.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from widemargin import SelfLabelingGPC
from widemargin.datasets import hide_labels, make_gp_toy

X, y = make_gp_toy(300, random_state=0)
y_partial = hide_labels(y, 8, rng=1)
labeled = y_partial >= 0
alone = SelfLabelingGPC().fit(X[labeled], y[labeled])
model = SelfLabelingGPC().fit(X, y_partial)

colors = np.array(["#0072B2", "#D55E00"])
low, high = X.min(axis=0) - 0.7, X.max(axis=0) + 0.7
x_axis, y_axis = np.meshgrid(*np.linspace(low, high, 150).T)
grid = np.column_stack([x_axis.ravel(), y_axis.ravel()])
figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained", sharey=True)
for ax, one in zip(axes, (alone, model), strict=False):
    chance = one.predict_proba(grid)[:, 1].reshape(x_axis.shape)
    ax.contourf(x_axis, y_axis, chance, np.linspace(0, 1, 11), cmap="PuOr_r", alpha=0.5)
    ax.contour(x_axis, y_axis, chance, [0.5], colors="black")
    ax.scatter(*X.T, s=10, color="0.35")
    ax.scatter(*X[labeled].T, s=80, color=colors[y[labeled]], edgecolor="black")
    error = np.mean(one.predict(X[~labeled]) != y[~labeled])
    whose = "labels alone" if one is alone else "self-labeling"
    ax.set_title(f"{whose}: {100 * error:.0f} % wrong", fontsize=10)
_, std = model.predict(grid, return_std=True)
axes[2].contourf(x_axis, y_axis, std.reshape(x_axis.shape), 12, cmap="Greys_r")
axes[2].scatter(*X.T, s=10, color=colors[model.transduction_])
axes[2].set_title("standard deviation of the score", fontsize=10)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "process_doubt.png", dpi=150)
