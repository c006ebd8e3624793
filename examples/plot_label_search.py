"""
A boundary through the gap
==========================

Two clouds in 100 dimensions, four labels. A machine on the labels alone draws its
boundary where the labels happen to lie. :class:`~widemargin.LabelSearchClassifier`
gives every unlabeled point a label, so that a kernel machine fits all of them best, and
moves the boundary into the gap between the clouds.
"""

import matplotlib.pyplot as plt
from sklearn.svm import SVC

from widemargin import LabelSearchClassifier
from widemargin.datasets import hide_labels, make_gaussian2c
from widemargin.labels import labeled_mask
from widemargin.plots import DecisionDisplay, PathDisplay

X, y = make_gaussian2c(400, n_features=100, random_state=0)
y_partial = hide_labels(y, 4, rng=0)
labeled = labeled_mask(y_partial)
models = {
    "SVC, labels alone": SVC(kernel="linear").fit(X[labeled], y[labeled]),
    "LabelSearchClassifier": LabelSearchClassifier(kernel="linear", random_state=0).fit(
        X, y_partial
    ),
}

# %%
# The clouds differ in the first feature only, which is drawn beside another one. The
# machine on the left also looks at the 99 others, and mixes the clouds.
figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    DecisionDisplay.from_estimator(
        model, X, y_partial, projection=X[:, :2], ax=ax, legend=ax is axes[-1]
    )
    error = (model.predict(X[~labeled]) != y[~labeled]).mean()
    ax.set(title=f"{name}: {error:.0%} wrong", ylabel="feature 2")
    ax.set_xlabel("feature 1, in which the clouds differ")
plt.show()

# %%
# By default the machine is an average: of one on the labels alone (weight 0) and of
# some that believe the unlabeled points more and more. Each counts by the held-out
# labels that it gets wrong. With four labels that is a coarse judgment.
display = PathDisplay.from_estimator(models["LabelSearchClassifier"])
weights = models["LabelSearchClassifier"].average_.weights
display.ax_.set_title(f"{weights[0]:.0%} of the average is the machine of the labels")
plt.show()
