"""The neighbor graph of the rows, drawn in the plane."""

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from widemargin.graphs import check_adjacency, knn_adjacency
from widemargin.labels import labeled_mask
from widemargin.linalg.rows import distinct_rows
from widemargin.plots._frame import make_frame
from widemargin.plots._models import (
    check_model,
    find_codes,
    infer_rows,
    is_pairwise,
    last_step,
)
from widemargin.plots._plane import make_plane
from widemargin.plots._style import (
    GRAY,
    class_handle,
    draw_classes,
    kind_handle,
    line_handle,
    put_legend,
    row_size,
    take_axes,
)

_CUT = "#000000"
_MANY_EDGES = 2000  # more of them are thinner lines


class GraphDisplay:
    """Edges of a neighbor graph over the rows that they join.

    Heavier edges are darker; those between rows of different classes, "cut" in the
    legend, are black.
    Make it with `from_estimator`, `from_points` or `from_adjacency`.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        Where rows are drawn.
    edges : ndarray of int, shape (n_edges, 2)
        The rows that each edge joins, the first one before the second.
    weights : ndarray of shape (n_edges,)
        Weights of the edges.
    codes : ndarray of int, shape (n_samples,), optional
        Class of each row as a position in `classes`; -1 for none.
    labeled : ndarray of bool, shape (n_samples,), optional
        Which rows have a given label.
    classes : ndarray of shape (n_classes,), optional
        Names of the classes.
    rest_name : str
        What rows of no class are called.
    axis_names : tuple of two str
        What the axes are.
    name : str
        What the graph is called.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    edges_ : LineCollection
        Edges within a class, or all of them if there are no classes.
    cut_edges_ : LineCollection or None
        Edges between classes.
    labeled_, unlabeled_ : dict of PathCollection
        Rows of each class by its code.
    legend_ : Legend or None

    Notes
    -----
    Copies of a row count once: only the first one has edges.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # draws into files, opens no window
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> from widemargin.plots import GraphDisplay
    >>> X, y = make_two_moons(100, noise=0.08, random_state=0)
    >>> y_partial = hide_labels(y, 6, rng=0)
    >>> model = LaplacianSVC(n_neighbors=8).fit(X, y_partial)
    >>> display = GraphDisplay.from_estimator(model, X, y_partial)
    >>> display.edges.shape == (len(display.weights), 2)
    True
    """

    def __init__(
        self,
        points,
        edges,
        weights,
        *,
        codes=None,
        labeled=None,
        classes=None,
        rest_name="irrelevant",
        axis_names=("feature 1", "feature 2"),
        name="",
    ):
        self.points = points
        self.edges = edges
        self.weights = weights
        self.codes = codes
        self.labeled = labeled
        self.classes = classes
        self.rest_name = rest_name
        self.axis_names = axis_names
        self.name = name

    @classmethod
    def from_estimator(
        cls, estimator, X, y=None, *, projection="pca", ax=None, **options
    ):
        """Draw the graph along which a fitted model is smooth.

        Parameters
        ----------
        estimator : fitted estimator
            With the parameters `n_neighbors` and `graph_weights`, not in a pipeline.
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows, as in `fit`.
        y : array-like of shape (n_samples,), optional
            Labels as in `fit`, unlabeled rows marked.
        projection : "pca", None or array-like of shape (n_samples, 2), default="pca"
            What to do with more than two features: the two principal components, an
            error, or your own points.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        **options
            As in `plot`.

        Returns
        -------
        GraphDisplay
        """
        who = cls.__name__
        check_model(
            estimator,
            who,
            needs=("kernel_", "n_neighbors", "graph_weights"),
            advice="pass a model with a neighbor graph, such as LaplacianSVC (the last "
            "step of a pipeline with transformed rows), or use from_points",
        )
        pairwise = is_pairwise(estimator)
        plane = make_plane(X, projection, who=who, is_pairwise=pairwise)
        rows = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
        first = np.arange(rows.shape[0]) if pairwise else distinct_rows(rows)[0]
        data, metric = estimator.kernel_.geometry(rows if pairwise else rows[first])
        adjacency = knn_adjacency(
            data, estimator.n_neighbors, estimator.graph_weights, metric=metric
        )
        edges, weights = _list_edges(adjacency)
        classes = codes = labeled = None
        if hasattr(estimator, "classes_"):
            found = infer_rows(estimator, X, y, who)
            codes, labeled, classes = found.codes, found.labeled, found.classes
        elif hasattr(estimator, "labels_"):
            codes, classes = estimator.labels_, np.arange(estimator.n_clusters)
        name = type(last_step(estimator)).__name__
        display = cls(
            plane.points,
            first[edges],
            weights,
            codes=codes,
            labeled=labeled,
            classes=classes,
            axis_names=plane.axis_names,
            name=f"{name}: {estimator.n_neighbors} nearest neighbors",
        )
        return display.plot(ax, **options)

    @classmethod
    def from_points(
        cls,
        X,
        y=None,
        *,
        n_neighbors=8,
        weights="self-tuned",
        projection="pca",
        ax=None,
        **options,
    ):
        """Draw the nearest-neighbor graph of rows, before there is a model.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,), optional
            Class of each row; unlabeled ones marked.
        n_neighbors, weights
            As in :func:`widemargin.graphs.knn_adjacency`.
        projection, ax, **options
            As in `from_estimator`.

        Returns
        -------
        GraphDisplay
        """
        rows = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
        adjacency = knn_adjacency(rows, n_neighbors, weights)
        name = f"{n_neighbors} nearest neighbors"
        return cls._from_graph(adjacency, X, y, projection, name, ax, options)

    @classmethod
    def from_adjacency(
        cls, adjacency, X, y=None, *, projection="pca", ax=None, **options
    ):
        """Draw a graph of your own.

        Parameters
        ----------
        adjacency : sparse matrix of shape (n_samples, n_samples)
            Weights of the edges, symmetric.
        X, y, projection, ax, **options
            As in `from_points`.

        Returns
        -------
        GraphDisplay
        """
        n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
        adjacency = check_adjacency(adjacency, n_samples)
        return cls._from_graph(adjacency, X, y, projection, "", ax, options)

    @classmethod
    def _from_graph(cls, adjacency, X, y, projection, name, ax, options):
        plane = make_plane(X, projection, who=cls.__name__)
        edges, weights = _list_edges(adjacency)
        classes = codes = labeled = None
        if y is not None:
            labeled = labeled_mask(y)
            if len(labeled) != len(plane.points):
                raise ValueError(
                    f"y of {cls.__name__} must have one entry for each of the "
                    f"{len(plane.points)} rows of X, got {len(labeled)}."
                )
            known = np.asarray(y, dtype=object)[labeled].tolist()
            classes = np.unique(known)
            codes = np.full(len(labeled), -1)
            codes[labeled] = find_codes(known, classes)
            labeled = None if labeled.all() else labeled
        display = cls(
            plane.points,
            edges,
            weights,
            codes=codes,
            labeled=labeled,
            classes=classes,
            rest_name="unlabeled",
            axis_names=plane.axis_names,
            name=name,
        )
        return display.plot(ax, **options)

    @property
    def is_cut(self):
        """Which edges join rows of different classes, shape (n_edges,)."""
        if self.codes is None:
            return np.zeros(len(self.edges), dtype=bool)
        first, second = self.codes[self.edges].T
        return (first != second) & (first >= 0) & (second >= 0)

    def plot(self, ax=None, *, legend=True):
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        legend : bool, default=True
            Whether to put a legend to the right of the axes, if there are classes.

        Returns
        -------
        self
        """
        names = self.classes if legend and self.classes is not None else ()
        self.ax_ = ax = take_axes(ax, names=names)
        self.figure_ = ax.figure
        is_cut = self.is_cut
        self.edges_ = self._draw_edges(~is_cut, GRAY, 0.7)
        self.cut_edges_ = self._draw_edges(is_cut, _CUT, 1.1) if is_cut.any() else None
        self._draw_nodes()
        ax.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1], title=self.name)
        has_legend = legend and self.classes is not None
        self.legend_ = put_legend(ax, self._handles()) if has_legend else None
        return self

    def frame(self):
        """The edges as a pandas DataFrame: first, second, weight, is_cut."""
        first, second = self.edges.T
        return make_frame(
            {
                "first": first,
                "second": second,
                "weight": self.weights,
                "is_cut": self.is_cut,
            }
        )

    def _draw_edges(self, chosen, color, width):
        from matplotlib.collections import LineCollection
        from matplotlib.colors import to_rgba

        weights = self.weights[chosen]
        largest = self.weights.max(initial=0.0) or 1.0
        width *= min(1.0, max(0.4, np.sqrt(_MANY_EDGES / max(len(self.edges), 1))))
        colors = np.tile(to_rgba(color), (len(weights), 1))
        colors[:, 3] = 0.1 + 0.9 * weights / largest
        lines = LineCollection(
            self.points[self.edges[chosen]], colors=colors, linewidths=width, zorder=1
        )
        self.ax_.add_collection(lines)
        return lines

    def _draw_nodes(self):
        n_rows = len(self.points)
        codes = np.full(n_rows, -1) if self.codes is None else self.codes
        labeled = np.zeros(n_rows, bool) if self.labeled is None else self.labeled
        known = codes >= 0
        self.labeled_, self.unlabeled_ = draw_classes(
            self.ax_, self.points[known], codes[known], labeled[known]
        )
        if not known.all():  # no class: dots
            dots = {"s": row_size(n_rows), "color": GRAY, "linewidth": 0, "zorder": 3}
            self.unlabeled_[-1] = self.ax_.scatter(*self.points[~known].T, **dots)

    def _handles(self):
        codes = range(len(self.classes))
        handles = [class_handle(code, str(self.classes[code])) for code in codes]
        if (self.codes < 0).any():
            handles.append(kind_handle(self.rest_name, is_labeled=False))
        if self.labeled_:
            handles.append(kind_handle("labeled", is_labeled=True))
        handles.append(line_handle("edge", color=GRAY, linewidth=1.0))
        if self.cut_edges_ is not None:
            handles.append(line_handle("cut edge", color=_CUT))
        return handles


def _list_edges(adjacency):
    """Ends (n_edges, 2) and weights of the edges, each of them once."""
    upper = sparse.triu(adjacency, k=1).tocoo()
    return np.column_stack([upper.row, upper.col]), np.asarray(upper.data, np.float64)
