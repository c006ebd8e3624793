"""
How to weight the edges of the graph
====================================

The graph of :class:`~widemargin.LaplacianSVC` joins each row with its nearest
neighbors. All edges can have the same weight ("binary"). The weight can also decrease
with the length of the edge, relative either to all edges ("heat") or to the other edges
at its two ends ("self-tuned", the default). The choice matters if the density varies:
here, a dense ring of 200 points lies inside a sparse ring of 60.
"""

import matplotlib.pyplot as plt
import numpy as np

from widemargin import LaplacianSVC
from widemargin.parameters import KnnGraph, Rbf
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
# These are the three graphs. Darker edges have more weight; black ones join points of
# different rings. Points of the sparse ring have some of their eight neighbors in the
# dense one. "binary" gives these edges the same weight as all others. With "heat" all
# edges of the sparse ring are long, so it falls apart. "self-tuned" gives little weight
# to edges that are long for the dense ring, and full weight to those within the sparse
# ring.
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
# The effect on the model, with everything else being equal.
figure, axes = plt.subplots(1, 3, figsize=(12, 3.9), layout="constrained", sharey=True)
for ax, weights in zip(axes, kinds, strict=True):
    model = LaplacianSVC(
        kernel=Rbf(2.0), graph=KnnGraph(weights=weights, power=1), intrinsic_reg=1.0
    ).fit(X, y_partial)
    DecisionDisplay.from_estimator(
        model, X, y_partial, ax=ax, margin=None, legend=ax is axes[-1]
    )
    error = (model.predict(X) != y).mean()
    ax.set(title=f"{weights}: {error:.0%} wrong", ylabel="")
    ax.set_aspect("equal")
plt.show()

# %%
# Pass your own graph as ``fit(X, y_partial, adjacency=W)``;
# ``GraphDisplay.from_adjacency(W, X)`` draws it.
