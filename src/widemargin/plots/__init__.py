"""Displays of fitted models, in the style of scikit-learn.

`from_estimator` computes all numbers of a display once and draws them;
``display.plot(ax=...)`` draws them again elsewhere, and ``display.frame()`` returns
them as a table. A class has the same color and marker in all displays. Legends are to
the right of the axes: create your own figures with ``layout="constrained"``, which
leaves room for them. Displays need matplotlib: ``pip install 'widemargin[plots]'``.

A display reads public attributes only, so that it works for every estimator that has
them, also for those of plug-ins.
"""

from widemargin.plots.clusters import ClusterDisplay
from widemargin.plots.convergence import ConvergenceDisplay
from widemargin.plots.decision import DecisionDisplay
from widemargin.plots.few_label import FewLabelDisplay
from widemargin.plots.graph import GraphDisplay
from widemargin.plots.path import PathDisplay
from widemargin.plots.transduction import TransductionDisplay

__all__ = [
    "ClusterDisplay",
    "ConvergenceDisplay",
    "DecisionDisplay",
    "FewLabelDisplay",
    "GraphDisplay",
    "PathDisplay",
    "TransductionDisplay",
]
