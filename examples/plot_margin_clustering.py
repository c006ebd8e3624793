"""
How to find clusters of any shape
=================================

This example compares max-margin clustering with k-means on half moons, rings, and blobs
of different sizes. Only the number of clusters is set. By default, the kernel of
:class:`~widemargin.MaxMarginClustering` follows the nearest-neighbor graph, so clusters
are connected groups of rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from widemargin import MaxMarginClustering
from widemargin.plots import ClusterDisplay

problems = [
    make_moons(300, noise=0.07, random_state=0),
    make_circles(300, noise=0.06, factor=0.45, random_state=0),
    make_blobs([200, 40, 40, 30], cluster_std=[1.0, 1.0, 0.7, 0.5], random_state=3),
]

figure, axes = plt.subplots(2, 3, figsize=(10, 6), layout="constrained")
for column, (X, y) in zip(axes.T, problems, strict=True):
    n_clusters = len(np.unique(y))
    models = [
        KMeans(n_clusters, n_init=10, random_state=0),
        MaxMarginClustering(n_clusters, random_state=0),
    ]
    for ax, model in zip(column, models, strict=True):
        model.fit(X)
        ClusterDisplay.from_estimator(model, X, ax=ax, legend=False)
        agreement = adjusted_rand_score(y, model.labels_)
        ax.set(title=f"{type(model).__name__}, ARI {agreement:z.2f}")
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
plt.show()

# %%
# Parameters left at "auto" (kernel width, weights and power of the Laplacian) are
# chosen without labels, by how well the clusters agree with neighborhoods and with the
# clusters of the other trials. ``choice_`` lists the trials.
choice = model.choice_
print(f"{len(choice.parameters)} combinations tried; best: {choice.chosen}")

# %%
# Where clusters touch, the graph does not help. Both methods cut two touching clouds of
# very different density in about the same place.
X, y = make_blobs(
    [250, 50], centers=[[0, 0], [3, 0]], cluster_std=[1.5, 0.5], random_state=0
)
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", sharey=True)
ClusterDisplay(X, y, np.bincount(y)).plot(axes[0], legend=False)
axes[0].set_title("truth")
for ax, model in zip(
    axes[1:],
    [KMeans(2, n_init=10, random_state=0), MaxMarginClustering(2, random_state=0)],
    strict=True,
):
    ClusterDisplay.from_estimator(model.fit(X), X, ax=ax, legend=False)
    agreement = adjusted_rand_score(y, model.labels_)
    ax.set(title=f"{type(model).__name__}, ARI {agreement:z.2f}", ylabel="")
plt.show()
