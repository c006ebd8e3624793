"""The neighbor graph of the rows, drawn in the plane."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from widemargin.graphs import Graph, KnnGraph, check_adjacency
from widemargin.kernels import read_kernel
from widemargin.labels import labeled_mask
from widemargin.linalg.rows import distinct_rows
from widemargin.plots import _models, _style
from widemargin.plots._style import Display

_CUT = "#000000"
_MANY_EDGES = 2000  # more of them are thinner lines


@dataclass(repr=False, eq=False)
class GraphDisplay(Display):
    """Edges of a neighbor graph over the rows that they join.

    Heavier edges are darker; those between rows of different classes, "cut" in the
    legend, are black. Of copies of a row only the first one has edges. Make it with
    `from_estimator`, `from_points` or `from_adjacency`. :mod:`widemargin.plots` has
    what displays share.

    Parameters
    ----------
    points, codes, labeled, classes, axis_names, name
        The rows, whose classes may be None, and titles.
    edges, weights : ndarrays of shapes (n_edges, 2) and (n_edges,)
        The rows that each edge joins, the first one before the second; its weight.
    rest_name : str
        What rows of no class are called.

    Attributes
    ----------
    edges_, cut_edges_ : LineCollection
        Edges within a class (all if there are no classes), and between classes or None.

    Examples
    --------
    >>> from widemargin.datasets import make_two_moons
    >>> from widemargin.plots import GraphDisplay
    >>> X, y = make_two_moons(100, noise=0.08, random_state=0)
    >>> display = GraphDisplay.from_points(X, y, n_neighbors=10)
    >>> display.edges.shape == (len(display.weights), 2)
    True
    """

    points: np.ndarray
    edges: np.ndarray
    weights: np.ndarray
    _: KW_ONLY
    codes: np.ndarray | None = None
    labeled: np.ndarray | None = None
    classes: np.ndarray | None = None
    rest_name: str = "irrelevant"

    @classmethod
    def from_estimator(cls, estimator, X, y=None, *, projection="pca", **options):
        """Draw the graph of a fitted model that has `graph` and `kernel`."""
        who, kind = cls.__name__, type(estimator).__name__
        advice = "pass the last step of a pipeline, or use from_points without a model"
        _models.check_model(estimator, who, needs=("kernel", "graph"), advice=advice)
        if getattr(estimator, "has_own_graph_", False):
            raise ValueError(
                f"{who}.from_estimator draws the graph that a model made of X, this "
                f"{kind} was fitted with an adjacency; use from_adjacency."
            )
        pairwise = _models.is_pairwise(estimator)
        plane = _models.make_plane(X, projection, who, estimator)
        # What was fitted, where the estimator chooses the neighbors.
        given = getattr(estimator, "graph_", estimator.graph)
        graph = Graph.read(given, f"graph of {kind}")
        kernel = read_kernel(estimator.kernel, f"kernel of {kind}")
        rows = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
        first = np.arange(rows.shape[0]) if pairwise else distinct_rows(rows)[0]
        adjacency = graph.adjacency(*kernel.geometry(rows if pairwise else rows[first]))
        found = None
        if hasattr(estimator, "classes_"):
            found = _models.infer_rows(estimator, X, y, who)
        elif hasattr(estimator, "labels_"):
            names = np.arange(estimator.n_clusters_)
            found = _models.InferredRows(estimator.labels_, None, names)
        display = cls._make(adjacency, plane, found, f"{kind}: {_graph_name(graph)}")
        display.edges = first[display.edges]
        return display.plot(**options)

    @classmethod
    def from_points(cls, X, y=None, *, projection="pca", ax=None, legend=True, **graph):
        """Draw the :class:`~widemargin.graphs.KnnGraph` of rows, without a model."""
        rows = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
        graph = KnnGraph(**graph)
        adjacency, name = graph.adjacency(rows), _graph_name(graph)
        display = cls._from_labels(adjacency, X, y, projection, name)
        return display.plot(ax, legend=legend)

    @classmethod
    def from_adjacency(cls, adjacency, X, y=None, *, projection="pca", **options):
        """Draw a graph of your own, a symmetric sparse matrix of weights."""
        adjacency = check_adjacency(adjacency, _models.count_rows(X))
        return cls._from_labels(adjacency, X, y, projection, "").plot(**options)

    @classmethod
    def _from_labels(cls, adjacency, X, y, projection, name):
        """A graph with the classes of its rows, if y is given."""
        plane, found = _models.make_plane(X, projection, cls.__name__), None
        if y is not None:
            labeled = labeled_mask(y)
            _models.check_length(labeled, len(plane.points), "y", cls.__name__)
            known = np.asarray(y, dtype=object)[labeled].tolist()
            classes, codes = np.unique(known), np.full(len(labeled), -1)
            codes[labeled] = _models.find_codes(known, classes)
            marked = None if labeled.all() else labeled
            found = _models.InferredRows(codes, marked, classes)
        display = cls._make(adjacency, plane, found, name)
        display.rest_name = "unlabeled"
        return display

    @classmethod
    def _make(cls, adjacency, plane, found, name):
        upper = sparse.triu(adjacency, k=1).tocoo()  # each edge once
        edges = np.column_stack([upper.row, upper.col])
        weights, rows = np.asarray(upper.data, np.float64), vars(found) if found else {}
        titles = {"axis_names": plane.axis_names, "name": name}
        return cls(plane.points, edges, weights, **rows, **titles)

    @property
    def is_cut(self):
        """Which edges join rows of different classes, shape (n_edges,)."""
        if self.codes is None:
            return np.zeros(len(self.edges), dtype=bool)
        first, second = self.codes[self.edges].T
        return (first != second) & (first >= 0) & (second >= 0)

    def plot(self, ax=None, *, legend=True):
        """Draw it; there is a legend if there are classes."""
        has_legend = legend and self.classes is not None
        self._open(ax, names=self.classes if has_legend else ())
        is_cut = self.is_cut
        self.edges_ = self._draw_edges(~is_cut, _style.GRAY, 0.7)
        self.cut_edges_ = self._draw_edges(is_cut, _CUT, 1.1) if is_cut.any() else None
        n_rows = len(self.points)
        codes = np.full(n_rows, -1) if self.codes is None else self.codes
        labeled = np.zeros(n_rows, bool) if self.labeled is None else self.labeled
        known = codes >= 0
        self._draw_classes(self.points[known], codes[known], labeled[known])
        if not known.all():  # no class: dots
            dots = {"color": _style.GRAY, "linewidth": 0, "zorder": 3}
            x, y, size = *self.points[~known].T, _style.row_size(n_rows)
            self.unlabeled_[-1] = self.ax_.scatter(x, y, size, **dots)
        self._put_legend(self._handles() if has_legend else ())
        return self

    def frame(self):
        """The edges as a pandas DataFrame: first, second, weight, is_cut."""
        first, second = self.edges.T
        columns = {"first": first, "second": second, "weight": self.weights}
        return _style.make_frame(columns | {"is_cut": self.is_cut})

    def _draw_edges(self, chosen, color, width):
        from matplotlib.collections import LineCollection
        from matplotlib.colors import to_rgba

        weights = self.weights[chosen]
        largest = self.weights.max(initial=0.0) or 1.0
        width *= min(1.0, max(0.4, np.sqrt(_MANY_EDGES / max(len(self.edges), 1))))
        colors = np.tile(to_rgba(color), (len(weights), 1))
        colors[:, 3] = 0.1 + 0.9 * weights / largest
        ends, look = self.points[self.edges[chosen]], {"linewidths": width, "zorder": 1}
        return self.ax_.add_collection(LineCollection(ends, colors=colors, **look))

    def _handles(self):
        rest = _style.kind_handle(self.rest_name, is_labeled=False)
        handles = self._class_handles(rest)
        handles.append(_style.line_handle("edge", color=_style.GRAY, linewidth=1.0))
        if self.cut_edges_ is not None:
            handles.append(_style.line_handle("cut edge", color=_CUT))
        return handles


def _graph_name(graph):
    is_knn = isinstance(graph, KnnGraph)
    return f"{graph.n_neighbors} nearest neighbors" if is_knn else repr(graph)
