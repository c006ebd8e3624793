"""
How to read the report and choose what to label next
====================================================

:class:`~widemargin.FewLabelClassifier` fits a supervised model and several that also
learn from unlabeled rows, scores each on held-out labels, and averages their
probabilities with weights from these scores. Its report lists the candidates and
suggests rows to label next.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from widemargin import FewLabelClassifier
from widemargin.datasets import hide_labels
from widemargin.plots import FewLabelDisplay

X, X_new, y, y_new = train_test_split(  # no model sees the new rows
    *load_digits(return_X_y=True), train_size=500, random_state=0
)
y_partial = hide_labels(y, 30, rng=0)
model = FewLabelClassifier(random_state=0).fit(X, y_partial)
print(model.report_)

# %%
# The same report as a picture. The bars are standard errors: the mistakes on thirty
# labels separate the supervised model from the others, but hardly distinguish the
# others from each other.
FewLabelDisplay.from_estimator(model)
plt.show()

# %%
# These are the true errors, on 1,297 rows that no model has seen. Thirty labels are a
# small sample, so the candidate with the largest weight is not always the best one.
for name, candidate in zip(model.names_, model.models_, strict=True):
    print(f"{name:30} {1 - candidate.score(X_new, y_new):6.1%}")
print(f"{'average':30} {1 - model.score(X_new, y_new):6.1%}")


# %%
# Now label ten more rows at a time: those that the report suggests, or random ones. To
# save time, there is only one candidate besides the supervised model. The experiment is
# repeated for six draws of the first thirty labels.
def label_in_turns(seed, choose, n_turns=5):
    """Errors on new rows, with ten more labels each time."""
    rng, known = np.random.default_rng(seed), hide_labels(y, 30, rng=seed)
    errors = []
    for _ in range(n_turns):
        model = FewLabelClassifier(["spectral"], random_state=0).fit(X, known)
        errors.append(1 - model.score(X_new, y_new))
        rows = choose(model, known, rng)
        known[rows] = y[rows]  # in practice somebody labels them
    return errors


def suggested(model, known, rng):
    return model.report_.label_next


def at_random(model, known, rng):
    return rng.choice(np.flatnonzero(known < 0), 10, replace=False)


seeds = range(6)
curves = {
    "rows that the report suggests": [label_in_turns(s, suggested) for s in seeds],
    "random rows": [label_in_turns(s, at_random) for s in seeds],
}

# %%
# Thick lines are means, thin ones the six draws.
n_labels = 30 + 10 * np.arange(5)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for color, marker, (name, errors) in zip(
    ("#0072B2", "#D55E00"), "os", curves.items(), strict=True
):
    ax.plot(n_labels, 100 * np.transpose(errors), color=color, alpha=0.25, linewidth=1)
    mean = 100 * np.mean(errors, axis=0)
    ax.plot(n_labels, mean, color=color, marker=marker, linewidth=2.5, label=name)
ax.set(
    xlabel="labels", ylabel="error on new rows, in %", xticks=n_labels, ylim=(0, None)
)
ax.set_title("Suggested rows help more than random ones")
ax.legend(frameon=False)
ax.grid(alpha=0.25, linewidth=0.6)
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Six draws of one data set do not prove this in general. A row is suggested if its
# label would lower the uncertainty of many other rows. If the model is confident but
# wrong, suggestions cannot find the mistake. Four of five suggested rows are not a
# random sample, so the error estimates of later reports are biased. To avoid this, pass
# the random ones to `fit` as `random_labels`.
gain = 100 * (np.array(curves["random rows"]) - curves["rows that the report suggests"])
means, spreads = gain.mean(axis=0), gain.std(axis=0, ddof=1) / np.sqrt(len(gain))
for n, mean, spread in zip(n_labels, means, spreads, strict=True):
    print(f"{n} labels: {mean:.1f} +- {spread:.1f} points fewer errors")
