"""Displays of fitted models, in the style of scikit-learn.

`from_estimator` computes all numbers of a display once and draws them;
``display.plot(ax=...)`` draws them again elsewhere, and ``display.frame()`` returns
them as a table. A class has the same color and marker in all displays. Displays need
matplotlib: ``pip install matplotlib``. They read public attributes only, and
so they work for every estimator that has them, also for those of plug-ins.

Displays share these arguments and attributes:

estimator
    A fitted model; a pipeline or a search over parameters may be around it.
X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    The rows, or what a pipeline takes; those of `fit` to show what `fit` inferred.
y : array-like of shape (n_samples,)
    Labels as in `fit`, unlabeled rows marked.
projection : "pca", None or array-like of shape (n_samples, 2), default="pca"
    What to do with more than two features: draw the two principal components (in a
    pipeline, of the rows that its last step is given), raise an error, or draw your own
    points, from t-SNE for example.
ax : matplotlib Axes, optional
    Where to draw; by default a new figure. Names and legends are beside the axes:
    create your own figures with ``layout="constrained"``, which leaves room for them.
legend : bool, default=True
    Whether to put a legend to the right of the axes.
options
    Arguments of `plot`, such as `ax`. All of these methods return the display.
axis_names, name
    Titles of the two axes, and of the whole.
points, codes, labeled, classes : arrays
    Where rows are drawn; their class, given or inferred, as a position in `classes`, -1
    for none; which rows have a given label.
``ax_``, ``figure_``, ``legend_``, ``labeled_``, ``unlabeled_``
    Where the display was drawn, its legend or None, and the rows of each class.
"""

from widemargin.plots.clusters import ClusterDisplay, ClusterNumberDisplay
from widemargin.plots.convergence import ConvergenceDisplay
from widemargin.plots.decision import DecisionDisplay
from widemargin.plots.few_label import FewLabelDisplay
from widemargin.plots.graph import GraphDisplay
from widemargin.plots.path import PathDisplay
from widemargin.plots.transduction import TransductionDisplay

__all__ = [
    "ClusterDisplay",
    "ClusterNumberDisplay",
    "ConvergenceDisplay",
    "DecisionDisplay",
    "FewLabelDisplay",
    "GraphDisplay",
    "PathDisplay",
    "TransductionDisplay",
]
