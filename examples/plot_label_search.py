"""
A boundary through the gap
==========================

Two clouds in 100 dimensions, ten labels. A machine on the labels alone draws its
boundary where the labels happen to lie; the label search gives every unlabeled point a
label and moves the boundary into the gap between the clouds. The picture shows the
direction that tells the clouds apart, beside another one.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from widemargin import LabelSearchClassifier
from widemargin.datasets import hide_labels, make_gaussian2c
from widemargin.labels import labeled_mask

X, y = make_gaussian2c(400, n_features=100, random_state=0)
y_partial = hide_labels(y, 10, rng=1)
labeled = labeled_mask(y_partial)
models = {
    "SVC on the labels": SVC(kernel="linear").fit(X[labeled], y[labeled]),
    "LabelSearchClassifier on all points": LabelSearchClassifier(
        kernel="linear", random_state=0
    ).fit(X, y_partial),
}

classes = np.unique(y)
colors = np.array(["#0072B2", "#D55E00"])
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    predicted = model.predict(X)
    for cls, color, marker in zip(classes, colors, "o^", strict=True):
        of_class = predicted == cls
        ax.scatter(*X[of_class, :2].T, s=10, color=color, marker=marker, alpha=0.5)
        given = labeled & (y == cls)
        ax.scatter(*X[given, :2].T, s=90, color=color, marker=marker, edgecolor="black")
    error = np.mean(predicted[~labeled] != y[~labeled])
    ax.set_title(f"{name}: {100 * error:.0f} % wrong")
    ax.set_xlabel("feature 1, in which the clouds differ")
axes[0].set_ylabel("feature 2")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "label_search.png", dpi=150)
