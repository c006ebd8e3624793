"""
Two moons, two labels each
==========================

A supervised :class:`~sklearn.svm.SVC` sees four labeled points.
:class:`~widemargin.LaplacianSVC` also uses the graph of the unlabeled points, and puts
its boundary between the moons.
"""

import matplotlib.pyplot as plt
from sklearn.svm import SVC

from widemargin import LaplacianSVC
from widemargin.datasets import hide_labels, make_two_moons
from widemargin.labels import labeled_mask
from widemargin.parameters import KnnGraph, Rbf
from widemargin.plots import DecisionDisplay

X, y = make_two_moons(300, noise=0.08, random_state=0)
y_partial = hide_labels(y, 4, rng=3)  # -1 marks the 296 others
labeled = labeled_mask(y_partial)

# %%
# The model in the middle has weights set by hand and a Laplacian of power 1, which
# suits curves in the plane. The default, on the right, averages models with a Laplacian
# of power 3, which suits data with many features and more labels. Two labels per class
# are too few to measure how much the graph helps: the default loses half of the lower
# moon and gains little over the labels alone.
by_hand = LaplacianSVC(kernel=Rbf(4.0), graph=KnnGraph(power=1), intrinsic_reg=0.05)
models = {
    "SVC, labels alone": SVC(C=10).fit(X[labeled], y[labeled]),
    "LaplacianSVC, set by hand": by_hand.fit(X, y_partial),
    "LaplacianSVC, default": LaplacianSVC().fit(X, y_partial),
}

figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    error = (model.predict(X[~labeled]) != y[~labeled]).mean()
    DecisionDisplay.from_estimator(
        model, X, y_partial, ax=ax, margin=None, legend=ax is axes[-1]
    )
    ax.set(title=f"{name}\n{error:.0%} wrong", ylabel="")
plt.show()
