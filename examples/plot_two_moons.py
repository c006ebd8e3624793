"""
How unlabeled points move the boundary of two moons
===================================================

A supervised :class:`~sklearn.svm.SVC` learns from four labeled points only.
:class:`~widemargin.LaplacianSVC` also uses the graph of the unlabeled points, and puts
its boundary between the moons.
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
# No parameter is set by hand. A random walk along the graph shows that the points lie
# on curves, for which a graph Laplacian of power 1 is best. Two labels per class are so
# few that the average relies on the graph.
models = {
    "SVC, labels alone": SVC(C=10).fit(X[labeled], y[labeled]),
    "LaplacianSVC": LaplacianSVC().fit(X, y_partial),
}

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    error = (model.predict(X[~labeled]) != y[~labeled]).mean()
    DecisionDisplay.from_estimator(
        model, X, y_partial, ax=ax, margin=None, legend=ax is axes[-1]
    )
    ax.set(title=f"{name}\n{error:.0%} wrong", ylabel="")
plt.show()
