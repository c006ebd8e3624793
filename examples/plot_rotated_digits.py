"""
How rotated digits form loops that a graph can follow
=====================================================

In the COIL-20 data, twenty objects turn on a plate and are photographed from all sides.
Here, one image of each of ten digits is rotated in steps of five degrees. Each class is
a closed loop in pixel space, which a neighbor graph can follow.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import rotate
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from widemargin import LaplacianSVC
from widemargin.datasets import hide_labels
from widemargin.labels import labeled_mask
from widemargin.parameters import KnnGraph
from widemargin.plots import DecisionDisplay, PathDisplay, TransductionDisplay

digits = load_digits()
chosen = [np.flatnonzero(digits.target == digit)[1] for digit in range(10)]
angles = np.arange(0, 360, 5)
images = np.array(
    [
        rotate(
            np.kron(digits.images[i], np.ones((2, 2))), angle, reshape=False, order=1
        )
        for i in chosen
        for angle in angles
    ]
)
X, y = images.reshape(len(images), -1), np.repeat(np.arange(10), len(angles))
y_partial = hide_labels(y, 30, rng=0)  # three of the 72 views of each digit
labeled = labeled_mask(y_partial)

views = images.reshape(10, len(angles), 16, 16)[:, ::6]
views = np.pad(views, [(0, 0), (0, 0), (3, 3), (3, 3)])  # room between them
figure, ax = plt.subplots(figsize=(6, 5.2), layout="constrained")
ax.imshow(views.swapaxes(1, 2).reshape(10 * 22, -1), cmap="Greys")
ax.set_axis_off()
ax.set_title("Every sixth view of the ten digits")
plt.show()

# %%
# With three labels per class, the default :class:`~widemargin.LaplacianSVC` makes fewer
# mistakes than an SVC on the labels alone, but still many. Eight neighbors are too many
# for a loop, on which a view has two.


def error(model):
    """Share of unlabeled views whose digit is wrong."""
    return (model.predict(X[~labeled]) != y[~labeled]).mean()


default = LaplacianSVC(graph=KnnGraph()).fit(X, y_partial)
loops = LaplacianSVC(graph=KnnGraph(n_neighbors=2, power=1)).fit(X, y_partial)
supervised = SVC(C=10).fit(X[labeled], y[labeled])
print(f"SVC, labels alone: {error(supervised):.0%} wrong")

figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for ax, model in zip(axes, [default, loops], strict=True):
    TransductionDisplay.from_estimator(model, X, y_partial, y_true=y, ax=ax)
    ax.set(title=f"{model.graph.n_neighbors} neighbors: {error(model):.0%} wrong")
axes[1].set_ylabel("")
plt.show()

# %%
# This figure shows the error as a function of the number of neighbors. With few
# neighbors and a Laplacian of power 1, every label spreads around its loop. These loops
# are clean, with all views at the same distance. Real photographs need a few more
# neighbors, and most data do not form loops at all, which is why neither setting is the
# default.
neighbors = [2, 3, 4, 6, 8, 12]
errors = [
    [
        error(LaplacianSVC(graph=KnnGraph(k, power=power)).fit(X, y_partial))
        for k in neighbors
    ]
    for power in (1, 3)
]
display = PathDisplay.from_arrays(
    neighbors,
    errors,
    parameter="n_neighbors",
    score_name="share of wrong views",
    series=["power=1", "power=3"],
    mark_lowest=False,
)
display.ax_.axhline(error(supervised), color="gray", linestyle="dashed")
display.ax_.annotate(
    "SVC, labels alone",
    (2, error(supervised)),
    xytext=(0, -12),
    textcoords="offset points",
)
display.ax_.set_title("Loops need few neighbors and a low power")
plt.show()

# %%
# These are the loops in the plane of the first two principal components. The plane
# holds only a third of the variance, so a boundary in it would be misleading, and none
# is drawn.
display = DecisionDisplay.from_estimator(loops, X, y_partial)
display.ax_.set_title("Ten loops around each other")
plt.show()
