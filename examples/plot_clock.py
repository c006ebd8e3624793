"""
How the weight of the graph changes the boundary
================================================

One class is the border of a clock, the other one its two hands. No straight line
separates them, and one label per class carries no information about their shapes.
Melacci and Belkin use this picture to explain the Laplacian SVM. The kernel norm alone
puts the boundary halfway between the labels, while a graph of all points spreads each
label along its curve.
"""

import matplotlib.pyplot as plt
import numpy as np

from widemargin import LaplacianSVC
from widemargin.parameters import KnnGraph, Rbf
from widemargin.plots import DecisionDisplay, GraphDisplay

rng = np.random.default_rng(0)
angles = np.linspace(0, 2 * np.pi, 100, endpoint=False)
border = np.column_stack([np.cos(angles), np.sin(angles)])
walked = np.linspace(-0.5, 0.7, 100)  # from the end of one hand to that of the other
hands = np.column_stack([np.maximum(-walked, 0), np.maximum(walked, 0)])
order = rng.permutation(200)
X = np.concatenate([border, hands])[order] + 0.02 * rng.standard_normal((200, 2))
y = np.repeat([0, 1], 100)[order]

y_partial = np.full(len(y), -1)
for cls, place in enumerate([[-1.0, 0.0], [0.0, 0.6]]):  # one label of each class
    distances = np.linalg.norm(X - place, axis=1)
    y_partial[np.where(y == cls, distances, np.inf).argmin()] = cls

# %%
# ``intrinsic_reg`` is the weight of the graph. Without it the model is supervised and
# cuts the clock in half. With a small weight, it finds the minute hand, which has the
# label, but not the hour hand. With a larger weight, it finds both. There are no points
# outside the border, so the decisions in the corners are meaningless.
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained", sharey=True)
for ax, intrinsic_reg in zip(axes, [0.0, 0.001, 1.0], strict=True):
    model = LaplacianSVC(
        kernel=Rbf(8.0), graph=KnnGraph(power=1), intrinsic_reg=intrinsic_reg
    ).fit(X, y_partial)
    DecisionDisplay.from_estimator(
        model, X, y_partial, ax=ax, margin=None, legend=ax is axes[-1]
    )
    wrong = (model.predict(X) != y).mean()
    ax.set(title=f"intrinsic_reg={intrinsic_reg:g}: {wrong:.0%} wrong", ylabel="")
    ax.set_aspect("equal")
plt.show()

# %%
# This works because the nearest neighbors of a point lie on its own curve. No edge of
# the graph joins the border to a hand.
display = GraphDisplay.from_points(X, y, n_neighbors=8)
display.ax_.set_aspect("equal")
display.ax_.set_title("No edge between the border (0) and the hands (1)")
plt.show()
