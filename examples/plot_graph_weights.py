"""
Which weights for the edges of the graph?
=========================================

The graph of :class:`~widemargin.LaplacianSVC` joins each row with its nearest
neighbors. An edge can count the same whatever its length ("binary"), less if it is long
by the measure of all edges ("heat"), or less if it is long by the measure of its two
ends ("self-tuned", the default). It matters where the density differs: here a dense
ring of 200 points in a sparse one of 60.
"""

import matplotlib.pyplot as plt
import numpy as np

from widemargin import LaplacianSVC
from widemargin.plots import DecisionDisplay, GraphDisplay

rng = np.random.default_rng(1)
y = np.repeat([0, 1], [200, 60])
angle = rng.uniform(0, 2 * np.pi, len(y))
radius = np.where(y == 0, 1.0, 2.0)
radius += np.where(y == 0, 0.06, 0.12) * rng.standard_normal(len(y))
X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
y_partial = np.full(len(y), -1)
for cls in (0, 1):  # three labels each
    y_partial[rng.choice(np.flatnonzero(y == cls), 3, replace=False)] = cls

# %%
# The graphs; darker edges weigh more, black ones join points of different rings in
# truth. Points of the sparse ring have some of their eight neighbors in the dense one.
# To "binary" these edges are as good as any. To "heat" all edges of the sparse ring are
# long, so that it falls apart. "self-tuned" weighs edges that are long for the dense
# ring lightly, and those within the sparse ring fully.
kinds = ["binary", "heat", "self-tuned"]
figure, axes = plt.subplots(1, 3, figsize=(12, 3.9), layout="constrained", sharey=True)
for ax, weights in zip(axes, kinds, strict=True):
    display = GraphDisplay.from_points(
        X, y, weights=weights, ax=ax, legend=ax is axes[-1]
    )
    between = display.weights[display.is_cut].sum() / display.weights.sum()
    ax.set(title=f"{weights}: {between:.1%} of the weight is cut", ylabel="")
    ax.set_aspect("equal")
plt.show()

# %%
# What that means for the machine, all else equal.
figure, axes = plt.subplots(1, 3, figsize=(12, 3.9), layout="constrained", sharey=True)
for ax, weights in zip(axes, kinds, strict=True):
    model = LaplacianSVC(
        gamma=2.0, intrinsic_reg=1.0, laplacian_power=1, graph_weights=weights
    ).fit(X, y_partial)
    DecisionDisplay.from_estimator(
        model, X, y_partial, ax=ax, margin=None, legend=ax is axes[-1]
    )
    error = (model.predict(X) != y).mean()
    ax.set(title=f"{weights}: {error:.0%} wrong", ylabel="")
    ax.set_aspect("equal")
plt.show()

# %%
# A graph of your own goes into ``fit(X, y_partial, adjacency=W)``, and
# ``GraphDisplay.from_adjacency(W, X)`` draws it.
