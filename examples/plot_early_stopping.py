"""
Decisions settle long before the optimum
========================================

Conjugate gradient on 3,400 points of the waveform data. Only the decisions matter in
the end, so the solver checks them on the unlabeled points from time to time and stops
when they no longer change. The objective is still falling at that point.
"""

import matplotlib.pyplot as plt

from widemargin import LaplacianSVC
from widemargin.datasets import hide_labels, make_waveform
from widemargin.parameters import Pcg
from widemargin.plots import ConvergenceDisplay

X, y = make_waveform(3400, n_classes=2, random_state=0)
y_partial = hide_labels(y, 50, rng=0)
weights = {"ambient_reg": 1e-5, "intrinsic_reg": 0.05}
early = LaplacianSVC(solver="pcg", **weights).fit(X, y_partial)

ConvergenceDisplay.from_estimator(early)
plt.show()

# %%
# The same model, with the solver running until the gradient is a thousandth of its
# first value.
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
