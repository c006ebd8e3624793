"""
Why early stopping costs little accuracy
========================================

This example runs conjugate gradient on 3,400 points of Breiman's waveform data. Only
the decisions matter in the end, so the solver checks them on the unlabeled points from
time to time and stops when they no longer change. The objective is still falling at
that point.
"""

import matplotlib.pyplot as plt
import numpy as np

from widemargin import LaplacianSVC
from widemargin.datasets import hide_labels
from widemargin.parameters import Pcg
from widemargin.plots import ConvergenceDisplay

# A row is a mixture of two out of three triangular waves, plus noise. Class 1 has the
# first two waves, class 0 one of the other pairs.
rng = np.random.default_rng(0)
pair = rng.integers(3, size=3400)
waves = np.maximum(6 - np.abs(np.arange(1, 22) - np.array([[7], [11], [15]])), 0)
first, second = waves[[0, 0, 1]][pair], waves[[2, 1, 2]][pair]
share = rng.uniform(size=(3400, 1))
X = share * first + (1 - share) * second + rng.standard_normal((3400, 21))
y = (pair == 1).astype(int)

y_partial = hide_labels(y, 50, rng=0)
weights = {"ambient_reg": 1e-5, "intrinsic_reg": 0.05}
early = LaplacianSVC(solver="pcg", **weights).fit(X, y_partial)

ConvergenceDisplay.from_estimator(early)
plt.show()

# %%
# Here is the same model, with the solver running until the gradient is a thousandth of
# its initial value.
to_the_end = Pcg(early_stopping=None, tol=1e-3)
full = LaplacianSVC(solver=to_the_end, **weights).fit(X, y_partial)
display = ConvergenceDisplay.from_estimator(full, quantities=["objective", "criterion"])
differ = (early.predict(X) != full.predict(X)).mean()
for ax in display.axes_:
    ax.axvline(early.n_iter_, color="black", linestyle="dashed", linewidth=1)
display.axes_[0].annotate(
    f" stopped here by default:\n {differ:.1%} of the decisions differ from the end",
    (early.n_iter_, early.result_.objective),
    xytext=(12, 20),
    textcoords="offset points",
)
display.axes_[0].set_title(f"{full.n_iter_} iterations instead of {early.n_iter_}")
plt.show()

# %%
# Stopping early costs almost no accuracy.
for name, model in {"stopped early": early, "full": full}.items():
    print(f"{name}: {model.n_iter_} iterations, {1 - model.score(X, y):.1%} wrong")
