"""
How to correct labels and fit again quickly
===========================================

Labels rarely come all at once. This example shows two ways to continue from the last
fit: a warm start of :class:`~widemargin.LaplacianSVC` after adding labels, and clusters
that are corrected by hand and then improved around the corrections.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, make_moons

from widemargin import LaplacianSVC, MaxMarginClustering
from widemargin.datasets import hide_labels
from widemargin.labels import labeled_mask
from widemargin.parameters import Pcg
from widemargin.plots import ClusterDisplay, PathDisplay

# %%
# The digits start with 20 labels. Each round adds the labels of the two rows with the
# smallest margin between the first and the second class.
X, y = load_digits(return_X_y=True)
X, y = X[:600], y[:600]
y_partial = hide_labels(y, 20, rng=0)
solver = Pcg(early_stopping=None, tol=1e-3)
model = LaplacianSVC(intrinsic_reg=0.1, solver=solver)
model.set_params(solver__warm_start=True)
n_labels, n_iter, errors = [], {"warm start": [], "from zero": []}, []
for _ in range(8):
    model.fit(X, y_partial)
    anew = LaplacianSVC(intrinsic_reg=0.1, solver=solver).fit(X, y_partial)
    n_labels.append(labeled_mask(y_partial).sum())
    n_iter["warm start"].append(model.n_iter_)
    n_iter["from zero"].append(anew.n_iter_)
    errors.append(1 - model.score(X, y))
    first, second = np.sort(model.decision_function(X), axis=1)[:, :-3:-1].T
    lead = np.where(labeled_mask(y_partial), np.inf, first - second)
    chosen = lead.argsort()[:2]
    y_partial[chosen] = y[chosen]

# %%
# A warm start saves some of the iterations and ends at the same model. It needs the
# same rows and classes as the last fit.
figure, axes = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
names = {"parameter": "number of labels", "mark_lowest": False}
PathDisplay.from_arrays(
    n_labels,
    list(n_iter.values()),
    score_name="iterations",
    series=list(n_iter),
    ax=axes[0],
    **names,
)
saved = 1 - sum(n_iter["warm start"]) / sum(n_iter["from zero"])
axes[0].set(title=f"{saved:.0%} of the iterations saved", ylim=(0, None))
PathDisplay.from_arrays(n_labels, errors, ax=axes[1], **names)
axes[1].set(title="Error on all rows", ylim=(0, None))
plt.show()

# %%
# With this much noise, clustering without labels does not find the moons. Five points
# in the wrong cluster are therefore corrected by hand (rings) and then kept
# (``fixed``). The next fit starts from the last labels (``init``) and improves all
# others. The first five corrections hardly help; after ten nearly all points are in the
# right cluster.
X, y = make_moons(300, noise=0.2, random_state=0)
rng = np.random.default_rng(0)
model = MaxMarginClustering(2, random_state=0).fit(X)
fixed = np.zeros(len(X), dtype=bool)

figure, axes = plt.subplots(1, 3, figsize=(12, 3.7), layout="constrained", sharey=True)
for ax in axes:
    swapped = (model.labels_ == y).mean() < 0.5  # clusters have no names
    wrong = np.flatnonzero(model.labels_ != (1 - y if swapped else y))
    ClusterDisplay.from_estimator(model, X, ax=ax, numbers=False, legend=False)
    ax.scatter(*X[fixed].T, s=70, facecolor="none", edgecolor="black")
    ax.set(title=f"{fixed.sum()} corrected, {len(wrong)} wrong", ylabel="")
    if ax is not axes[-1]:
        chosen = rng.choice(wrong, 5, replace=False)
        fixed[chosen] = True
        init = model.labels_.copy()
        init[chosen] = 1 - init[chosen]
        model.fit(X, init=init, fixed=fixed)
plt.show()
