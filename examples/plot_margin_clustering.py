"""
Clusters of any shape
=====================

Max-margin clustering with nothing set but the number of clusters, beside k-means:
half moons, rings, and blobs of different sizes.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from widemargin import MaxMarginClustering

problems = [
    make_moons(400, noise=0.07, random_state=0),
    make_circles(400, noise=0.06, factor=0.45, random_state=0),
    make_blobs([300, 60, 60, 40], cluster_std=[1.0, 1.0, 0.7, 0.5], random_state=3),
]

colors = np.array(["#0072B2", "#D55E00", "#009E73", "#CC79A7"])
figure, axes = plt.subplots(2, 3, figsize=(9, 5.6), layout="constrained")
for column, (X, y) in enumerate(problems):
    n_clusters = len(np.unique(y))
    found = {
        "k-means": KMeans(n_clusters, n_init=10, random_state=0).fit_predict(X),
        "MaxMarginClustering": MaxMarginClustering(
            n_clusters, random_state=0
        ).fit_predict(X),
    }
    for ax, (name, labels) in zip(axes[:, column], found.items(), strict=True):
        ax.scatter(*X.T, s=8, color=colors[labels])
        ax.set_title(f"{name}, ARI {adjusted_rand_score(y, labels):.2f}")
        ax.set_xticks([])
        ax.set_yticks([])
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "margin_clustering.png", dpi=150)
