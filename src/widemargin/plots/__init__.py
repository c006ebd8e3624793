"""Pictures of fitted models, in the style of scikit-learn's displays.

A display is made by `from_estimator`, which computes all numbers once and draws them;
``display.plot(ax=...)`` draws them again elsewhere, and ``display.frame()`` is a table
of them. A class has the same color and marker in all displays. Legends are to the right
of the axes: make figures of your own with ``layout="constrained"``, which leaves room
for them. Displays need matplotlib: ``pip install 'widemargin[plots]'``.
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
