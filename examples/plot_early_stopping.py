"""
Decisions settle long before the optimum
========================================

Conjugate gradient on 3,400 points: the objective still falls when the decisions on the
unlabeled points have stopped changing, which is when the stability check ends the run.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from widemargin import LaplacianSVC
from widemargin.datasets import hide_labels, make_waveform

X, y = make_waveform(3400, n_classes=2, random_state=0)
y_partial = hide_labels(y, 50, rng=0)
weights = {"ambient_reg": 1e-5, "intrinsic_reg": 0.05, "solver": "pcg"}
early = LaplacianSVC(**weights).fit(X, y_partial)
full = LaplacianSVC(early_stopping=None, tol=1e-3, **weights).fit(X, y_partial)

history = full.result_.history["objective"]
excess = np.array(history) / history[-1] - 1
disagree = np.mean(early.predict(X) != full.predict(X))
figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
ax.semilogy(excess[:-1], color="#0072B2")
ax.axvline(early.n_iter_, color="#D55E00")
ax.annotate(
    f" stopped after {early.n_iter_} of {full.n_iter_} iterations;\n"
    f" {100 * disagree:.1f} % of the decisions differ",
    (early.n_iter_, excess.max()),
    verticalalignment="top",
    color="#D55E00",
)
ax.set_xlabel("iteration")
ax.set_ylabel("objective above the optimum (relative)")
ax.spines[["top", "right"]].set_visible(False)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "early_stopping.png", dpi=150)
