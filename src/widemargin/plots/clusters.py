"""Clusters in the plane."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from sklearn.base import is_clusterer

from widemargin.plots._models import (
    check_model,
    is_pairwise,
    last_step,
    make_plane,
    see_through,
)
from widemargin.plots._style import (
    Display,
    class_handle,
    draw_rows,
    make_frame,
    put_legend,
    row_size,
)


@dataclass(repr=False, eq=False)
class ClusterDisplay(Display):
    """The clusters of a fitted clusterer, with their sizes.

    Make it with `from_estimator`.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        Where rows are drawn.
    labels : ndarray of int, shape (n_samples,)
        Cluster of each row; -1 for rows of none.
    sizes : ndarray of int, shape (n_clusters,)
        Rows in each cluster.
    axis_names : tuple of two str
        What the axes are.
    name : str
        What the clusterer is called.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    clusters_ : dict of PathCollection
        Rows of each cluster that has any, by its number.
    numbers_ : dict of Text
        Numbers of the clusters, in the middle of their rows.
    legend_ : Legend or None

    See Also
    --------
    GraphDisplay : The clusters with the neighbor graph that they follow.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # draws into files, opens no window
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import MaxMarginClustering
    >>> from widemargin.plots import ClusterDisplay
    >>> X, _ = load_iris(return_X_y=True)
    >>> model = MaxMarginClustering(n_clusters=3, random_state=0).fit(X)
    >>> display = ClusterDisplay.from_estimator(model, X)
    >>> int(display.sizes.sum())
    150
    """

    points: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray
    _: KW_ONLY
    axis_names: tuple = ("feature 1", "feature 2")
    name: str = ""

    @classmethod
    def from_estimator(cls, estimator, X, *, projection="pca", ax=None, **options):
        """Draw the clusters of the rows of `fit`, or those predicted for new ones.

        Parameters
        ----------
        estimator : fitted clusterer
            With ``labels_``, or loaded from a file; a pipeline may be around it.
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows. If they are not as many as in `fit`, or the model is from a file,
            which does not hold ``labels_``, their clusters are predicted.
        projection : "pca", None or array-like of shape (n_samples, 2), default="pca"
            What to do with more than two features: the two principal components (in a
            pipeline, of the rows as its last step sees them), an error, or your own
            points.
        ax, **options
            As in `plot`.

        Returns
        -------
        ClusterDisplay
        """
        who = cls.__name__
        check_model(estimator, who)
        model = last_step(estimator)
        estimator, X = see_through(estimator, X)
        check_model(
            model,
            who,
            needs=() if is_clusterer(model) else ("labels_",),
            advice="pass a clusterer such as MaxMarginClustering, or use "
            "DecisionDisplay for a classifier",
        )
        plane = make_plane(X, projection, who=who, is_pairwise=is_pairwise(estimator))
        labels = np.asarray(getattr(model, "labels_", ()), dtype=int)
        n_clusters = max(
            getattr(model, "n_clusters", None) or 0, labels.max(initial=-1) + 1
        )
        if len(labels) != len(plane.points):
            labels = np.asarray(estimator.predict(X))
        display = cls(
            plane.points,
            labels,
            np.bincount(labels[labels >= 0], minlength=n_clusters),
            axis_names=plane.axis_names,
            name=type(model).__name__,
        )
        return display.plot(ax, **options)

    def plot(self, ax=None, *, numbers=True, legend=True):
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        numbers : bool, default=True
            Whether to write the number of each cluster at its most central row.
        legend : bool, default=True
            Whether to list clusters and sizes to the right of the axes.

        Returns
        -------
        self
        """
        ax = self._open(ax)
        self.clusters_, self.numbers_ = {}, {}
        for number in np.unique(self.labels).tolist():
            own = self.points[self.labels == number]
            size = row_size(len(self.points))
            self.clusters_[number] = draw_rows(ax, own, number, size)
            if numbers and number >= 0:
                self.numbers_[number] = self._write(number, own)
        handles = [
            class_handle(number, f"{number}  ({size})")
            for number, size in enumerate(self.sizes)
        ]
        if -1 in self.clusters_:
            handles.append(class_handle(-1, f"none  ({(self.labels < 0).sum()})"))
        self.legend_ = put_legend(ax, handles) if legend else None
        return self

    def frame(self):
        """The rows as a pandas DataFrame: x, y, cluster."""
        x, y = self.points.T
        return make_frame({"x": x, "y": y, "cluster": self.labels})

    def _write(self, number, own):
        """The number of a cluster at the row nearest to its median, with a halo."""
        from matplotlib.patheffects import withStroke

        spread = np.maximum(self.points.std(axis=0), 1e-300)
        distances = np.linalg.norm((own - np.median(own, axis=0)) / spread, axis=1)
        return self.ax_.text(
            *own[distances.argmin()], str(number), ha="center", va="center",
            weight="bold", zorder=5,
            path_effects=[withStroke(linewidth=3, foreground="white")],
        )  # fmt: skip
