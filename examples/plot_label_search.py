"""
How label search finds the gap between two classes
==================================================

The data are two clouds in 100 dimensions with four labels. The boundary of a supervised
model depends on where the labeled points happen to lie.
:class:`~widemargin.LabelSearchClassifier` searches for the labels of all unlabeled
points that a kernel model fits best, which moves the boundary into the gap between the
clouds.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from widemargin import LabelSearchClassifier
from widemargin.datasets import hide_labels
from widemargin.labels import labeled_mask
from widemargin.plots import DecisionDisplay, PathDisplay

rng = np.random.default_rng(0)
y = rng.permutation(np.arange(400) % 2)
X = rng.standard_normal((400, 100))
X[:, 0] += np.where(y == 1, 2.5, -2.5)
y_partial = hide_labels(y, 4, rng=0)
labeled = labeled_mask(y_partial)
models = {
    "SVC, labels alone": SVC(kernel="linear").fit(X[labeled], y[labeled]),
    "LabelSearchClassifier": LabelSearchClassifier(kernel="linear", random_state=0).fit(
        X, y_partial
    ),
}

# %%
# The clouds differ in the first feature only; the second one is plotted for comparison.
# The model on the left also uses the 99 other features, and mixes the clouds.
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
# By default, the classifier averages a model of the labels alone (weight 0) and several
# models with increasing weight on the unlabeled points. Each is weighted by its log
# loss on held-out labels. Four labels give a coarse estimate.
display = PathDisplay.from_estimator(models["LabelSearchClassifier"])
weights = models["LabelSearchClassifier"].average_.weights
display.ax_.set_title(f"{weights[0]:.0%} of the average is the supervised model")
plt.show()
