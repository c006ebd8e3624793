"""
Two moons, two labels each
==========================

A supervised :class:`~sklearn.svm.SVC` sees four labeled points.
:class:`~widemargin.LaplacianSVC` also sees how the unlabeled ones hang together, and
puts its boundary between the moons.
"""

import matplotlib.pyplot as plt
from sklearn.svm import SVC

from widemargin import LaplacianSVC
from widemargin.datasets import hide_labels, make_two_moons
from widemargin.labels import labeled_mask
from widemargin.plots import DecisionDisplay

X, y = make_two_moons(300, noise=0.08, random_state=0)
y_partial = hide_labels(y, 4, rng=3)  # -1 marks the 296 others
labeled = labeled_mask(y_partial)

# %%
# The weights are set by hand, and a Laplacian of power 1 is taken: it is right along
# curves in the plane. The default, an average of machines with a Laplacian of power 3,
# is made for data of many features and more labels. It is shown at the right: with two
# labels a class there is nothing to judge by how far the graph can be trusted, half of
# the lower moon is lost, and hardly anything is gained over the labels alone.
by_hand = LaplacianSVC(
    gamma=4.0, ambient_reg=1e-3, intrinsic_reg=0.05, laplacian_power=1
)
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
