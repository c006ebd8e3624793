"""
How certain a self-labeling Gaussian process is
===============================================

The data are two bands on either side of a curve, with eight labels. A Gaussian process
fitted to the labels alone misses parts of the curve;
:class:`~widemargin.SelfLabelingGPC` also labels the other points and finds the gap
between the bands.
"""

import matplotlib.pyplot as plt
import numpy as np

from widemargin import SelfLabelingGPC
from widemargin.datasets import hide_labels
from widemargin.labels import labeled_mask
from widemargin.plots import DecisionDisplay

rng = np.random.default_rng(0)
y = rng.permutation(np.arange(300) % 2)
across = rng.uniform(-3, 3, 300)
offset = np.where(y == 1, 1.0, -1.0) + 0.4 * rng.standard_normal(300)
X = np.column_stack([across, np.sin(across) + offset])
y_partial = hide_labels(y, 8, rng=1)
labeled = labeled_mask(y_partial)
models = {
    "labels alone": SelfLabelingGPC().fit(X[labeled], y[labeled]),
    "self-labeling": SelfLabelingGPC().fit(X, y_partial),
}

figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    DecisionDisplay.from_estimator(
        model, X, y_partial, ax=ax, margin=None, legend=ax is axes[-1]
    )
    error = (model.predict(X[~labeled]) != y[~labeled]).mean()
    ax.set(title=f"{name}: {error:.0%} wrong", ylabel="")
plt.show()

# %%
# A Gaussian process also gives a standard deviation (``predict(X, return_std=True)``).
# If the process is fitted to the labels alone, the standard deviation grows with the
# distance to them. The self-labeling process treats all points as labeled, so its
# standard deviation is small wherever there are points, and also in the gap between the
# bands. The probability shows the gap: it passes from 0 to 1 there.
low, high = X.min(axis=0) - 0.7, X.max(axis=0) + 0.7
mesh = np.meshgrid(*np.linspace(low, high, 120).T)
grid = np.column_stack([coordinates.ravel() for coordinates in mesh])

levels = np.linspace(0, 1, 11)
figure, axes = plt.subplots(
    2, 2, figsize=(9, 6.4), layout="constrained", sharex=True, sharey=True
)
for column, (name, model) in enumerate(models.items()):
    _, std = model.predict(grid, return_std=True)
    chance = model.predict_proba(grid)[:, 1]
    fields = [("standard deviation", std, "Greys"), ("probability", chance, "PuOr_r")]
    for row, (field, values, cmap) in enumerate(fields):
        ax = axes[row, column]
        values = values.reshape(mesh[0].shape)
        filled = ax.contourf(*mesh, values, levels, cmap=cmap, extend="max")
        ax.scatter(*X.T, s=6, color="black", alpha=0.4, linewidth=0)
        ax.scatter(*X[labeled].T, s=60, facecolor="white", edgecolor="black")
        ax.set_title(f"{name}: {field}", fontsize=10)
        if column == 1:
            figure.colorbar(filled, ax=ax)
plt.show()

# %%
# The standard deviation only shows where there are points. If a whole band gets the
# wrong class, because a label is wrong or none is near, the standard deviation is just
# as small.
