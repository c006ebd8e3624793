"""
What each family of spectral models predicts
============================================

:class:`~widemargin.SpectralClassifier` averages three families of closed-form models.
The family "labels" uses the labeled points only. The family "graph" prefers functions
that are smooth along the graph of all points, and "spectrum" prefers functions that
follow the directions of large variance. Each family suits different data.
"""

import matplotlib.pyplot as plt
import numpy as np

from widemargin import SpectralClassifier
from widemargin.datasets import hide_labels, make_two_moons
from widemargin.labels import labeled_mask
from widemargin.plots import DecisionDisplay

cloud = np.random.default_rng(0).normal(size=(300, 2)) * [2, 1]
data = {
    "two moons": make_two_moons(300, noise=0.08, random_state=0),
    "a long cloud": (cloud, (cloud[:, 0] > 0).astype(int)),  # no gap between classes
}
families = {
    'families="labels"': "labels",
    'families="graph"': "graph",
    'families="spectrum"': "spectrum",
    "average of all three": ("labels", "graph", "spectrum"),  # the default
}


def fit(X, y_partial, some):
    return SpectralClassifier(families=some, random_state=0).fit(X, y_partial)


def error(model, X, y, y_partial):
    hidden = ~labeled_mask(y_partial)
    return (model.predict(X[hidden]) != y[hidden]).mean()


# %%
# The moons are curves, so the graph can follow them, but no single direction separates
# them. The cloud has no gap that the graph could follow, but its classes differ in the
# direction of the largest variance. We chose draws of the labels for which the families
# differ visibly.
figure, axes = plt.subplots(2, 4, figsize=(13, 6), layout="constrained", sharey="row")
draws = {"two moons": 0, "a long cloud": 5}
for line, (name, (X, y)) in zip(axes, data.items(), strict=True):
    y_partial = hide_labels(y, 4, rng=draws[name])  # -1 marks the 296 others
    for ax, (title, some) in zip(line, families.items(), strict=True):
        model = fit(X, y_partial, some)
        DecisionDisplay.from_estimator(
            model, X, y_partial, ax=ax, margin=None, legend=ax is axes[0, -1]
        )
        wrong = error(model, X, y, y_partial)
        ax.set(title=f"{title}\n{wrong:.0%} wrong", xlabel="", ylabel="")
    line[0].set_ylabel(name)
plt.show()

# %%
# This is the mean error over ten draws of four labels. If one family suits the data,
# the average achieves most of its gain, although four labels can hardly show which
# family that is.
for name, (X, y) in data.items():
    partly = [hide_labels(y, 4, rng=draw) for draw in range(10)]
    for title, some in families.items():
        mean = np.mean([error(fit(X, known, some), X, y, known) for known in partly])
        print(f"{name:12}  {title:20}  {mean:6.1%}")
