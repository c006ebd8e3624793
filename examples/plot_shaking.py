"""
How clusters are found by shaking, step by step
===============================================

Max-margin clustering searches for the labels that a regularized least-squares model
fits best. Moving one point at a time from random labels gets stuck in poor solutions.
The *shaking* of Pahikkala, Airola, Gieseke and Kramer avoids this. The clusters take
turns claiming the points that suit them best, up to twice their share in the first
round and less in each following one. This example reproduces Figure 2 of their paper on
three clouds.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from widemargin.kernels import Rbf
from widemargin.labelling.problem import LabelProblem
from widemargin.labelling.strategies import Shaking
from widemargin.plots import ClusterDisplay
from widemargin.spaces.smoother import DenseSmoother

n_samples, n_clusters = 90, 3
X, _ = make_blobs(n_samples, centers=[[0, 0], [5, 0], [2.5, 4]], random_state=1)

# %%
# The fitted values are a linear function of the labels. The matrix of this smoother
# gives the amount that each point would add to the objective in each cluster
# (``gains``), and a claim needs nothing else.
smoother = DenseSmoother(Rbf(gamma=0.1)(X), np.ones(n_samples), reg=0.1)
problem = LabelProblem(
    smoother,
    movable=np.ones(n_samples, dtype=bool),
    given=np.zeros(n_samples, dtype=np.int32),
    lower=np.zeros(n_clusters, dtype=np.int64),
    upper=np.full(n_clusters, n_samples),
    target=np.full(n_clusters, n_samples / n_clusters),
    order=np.arange(n_samples),
)


def claim(labels, cluster, n_wanted):
    """The labels after a cluster has grown to the wanted number of points."""
    labels = labels.copy()
    for _ in range(int(n_wanted) - (labels == cluster).sum()):
        gains = problem.gains(problem.table(labels), labels)[cluster]
        labels[np.where(labels == cluster, -np.inf, gains).argmax()] = cluster
    return labels


# %%
# Each cluster grows to its share times 2 in the first round, 1.5 in the second, 1.25 in
# the third, and so on. After the first round the last cluster holds two thirds of all
# points and the first one none; in later rounds the clusters separate.
start = np.random.default_rng(0).integers(n_clusters, size=n_samples)
steps = {"random labels": start}
labels = start
for i in range(8):
    for cluster in range(n_clusters):
        labels = claim(labels, cluster, n_samples / n_clusters * (1 + 0.5**i))
        steps[f"round {i + 1}, {cluster} claims"] = labels

names = list(steps)
shown = [*names[:7], names[-1]]
figure, axes = plt.subplots(
    2, 4, figsize=(11, 5.6), layout="constrained", sharex=True, sharey=True
)
for ax, name in zip(axes.flat, shown, strict=True):
    sizes = np.bincount(steps[name], minlength=n_clusters)
    ClusterDisplay(X, steps[name], sizes, axis_names=("", "")).plot(
        ax, numbers=False, legend=ax is axes[1, -1]
    )
    sizes = ", ".join(map(str, sizes))
    ax.set(title=name, xlabel=f"sizes {sizes}", xticks=[], yticks=[])
plt.show()

# %%
# The compiled search gives the same result, and so does
# ``MaxMarginClustering(search=Shaking(size_floor=0))``.
found, n_moves = Shaking(n_rounds=8, size_floor=0).improve(problem, start)
print(f"{n_moves} points claimed, same clusters: {np.array_equal(found, labels)}")

# %%
# This figure shows the objective after each claim. Claims are made even if they
# increase it, which makes it possible to escape from poor labels. The lowest value,
# after the third claim, belongs to labels with an empty cluster: the objective alone
# favors few clusters, and the clusters are only meaningful because the search enforces
# their sizes.
values = [problem.value(labels) for labels in steps.values()]
figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
ax.semilogy(values, marker="o", color="#0072B2")
ax.set(xlabel="claim", ylabel="objective", title="Shaking accepts steps that cost")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
