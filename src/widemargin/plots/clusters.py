"""Clusters in the plane."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import is_clusterer

from widemargin.plots import _models, _style
from widemargin.plots._style import Display


@dataclass(repr=False, eq=False)
class ClusterDisplay(Display):
    """The clusters of a fitted clusterer, with their sizes.

    Make it with `from_estimator`; :mod:`widemargin.plots` has what displays share.

    Parameters
    ----------
    points, axis_names, name
        The rows, and titles.
    labels, sizes : ndarrays of int
        Cluster of each row, -1 for rows of none; rows in each cluster.

    Attributes
    ----------
    clusters_, numbers_ : dicts
        Rows of each cluster that has any, and the texts in their middle, by its number.

    Examples
    --------
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

    @classmethod
    def from_estimator(cls, estimator, X, *, projection="pca", **options):
        """Draw the clusters of the rows of `fit`, or those predicted for other rows."""
        who, model = cls.__name__, _models.last_step(estimator)
        advice = "pass a clusterer, or use DecisionDisplay for a classifier"
        needs = () if is_clusterer(model) else ("labels_",)
        _models.check_model(model, who, needs=needs, advice=advice)
        estimator, X = _models.see_through(estimator, X)
        plane = _models.make_plane(X, projection, who, estimator)
        labels = np.asarray(getattr(model, "labels_", ()), dtype=int)
        n_found = labels.max(initial=-1) + 1
        n_clusters = max(getattr(model, "n_clusters_", 0), n_found)
        if len(labels) != len(plane.points):
            labels = np.asarray(estimator.predict(X))
        sizes = np.bincount(labels[labels >= 0], minlength=n_clusters)
        titles = {"axis_names": plane.axis_names, "name": type(model).__name__}
        return cls(plane.points, labels, sizes, **titles).plot(**options)

    def plot(self, ax=None, *, numbers=True, legend=True):
        """Draw it; `numbers` writes the number of a cluster at its most central row."""
        self._open(ax)  # first, because its message is better without matplotlib
        from matplotlib.patheffects import withStroke

        halo = [withStroke(linewidth=3, foreground="white")]
        look = {"ha": "center", "va": "center", "weight": "bold", "zorder": 5}
        self.clusters_, self.numbers_ = {}, {}
        for number in np.unique(self.labels).tolist():
            own = self.points[self.labels == number]
            size = _style.row_size(len(self.points))
            self.clusters_[number] = self._draw_rows(own, number, size)
            if numbers and number >= 0:
                spread = np.maximum(self.points.std(axis=0), 1e-300)
                steps = (own - np.median(own, axis=0)) / spread
                place = own[np.linalg.norm(steps, axis=1).argmin()]
                text = self.ax_.text(*place, str(number), path_effects=halo, **look)
                self.numbers_[number] = text
        sizes = dict(enumerate(self.sizes))
        if -1 in self.clusters_:
            sizes[-1] = (self.labels < 0).sum()
        handles = [
            _style.class_handle(number, f"{'none' if number < 0 else number}  ({size})")
            for number, size in sizes.items()
        ]
        self._put_legend(handles if legend else ())
        return self

    def frame(self):
        """The rows as a pandas DataFrame: x, y, cluster."""
        x, y = self.points.T
        return _style.make_frame({"x": x, "y": y, "cluster": self.labels})


@dataclass(repr=False, eq=False)
class ClusterNumberDisplay(Display):
    """Evidence for each number of clusters that ``n_clusters="auto"`` compared.

    Make it with `from_estimator`; :mod:`widemargin.plots` has what displays share.

    Parameters
    ----------
    choice : NumberChoice
        The numbers and the evidence. The lines show the share of neighbors in the same
        cluster, the similarity of the clusters of different parameters, and by how much
        Gaussians predict held-out rows better than a single one, over the largest such
        gain.
    name
        Title.

    Attributes
    ----------
    lines_, best_ : dict of Line2D, Line2D
        The lines by their names, and the mark of the chosen number.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from widemargin import MaxMarginClustering
    >>> from widemargin.plots import ClusterNumberDisplay
    >>> X, _ = make_blobs(10, centers=2, cluster_std=0.5, random_state=3)
    >>> model = MaxMarginClustering("auto", random_state=0).fit(X)
    >>> ClusterNumberDisplay.from_estimator(model).choice.chosen
    2
    """

    choice: object

    @classmethod
    def from_estimator(cls, estimator, **options):
        """Draw the numbers that a fitted clusterer compared."""
        who, model = cls.__name__, _models.last_step(estimator)
        advice = "pass a fitted MaxMarginClustering(n_clusters='auto')"
        _models.check_model(model, who, needs=("number_choice_",), advice=advice)
        if model.number_choice_ is None:
            raise ValueError(
                f"{who}.from_estimator draws the numbers of clusters that were "
                f"compared, and this model was fitted with n_clusters="
                f"{model.n_clusters}; {advice}."
            )
        return cls(model.number_choice_, name=type(model).__name__).plot(**options)

    def plot(self, ax=None, *, legend=True):
        """Draw it."""
        self._open(ax, titles=("number of clusters", "agreement and stability"))
        choice, table = self.choice, self._columns()
        numbers = table.pop("clusters")
        looks = {"mean": "-", "agreement": "--", "stability": ":", "Gaussians": "-."}
        names = {"Gaussians": "Gaussians (gain, largest = 1)"}
        self.lines_ = {}
        for name, look in looks.items():
            if np.isfinite(table[name]).any():
                options = {"color": "black", "label": names.get(name, name)}
                (line,) = self.ax_.plot(numbers, table[name], look, **options)
                self.lines_[name] = line
        rule = "Gaussians" if choice.is_gaussian else "mean"
        height = table[rule][numbers == choice.chosen][0]
        name = f"chosen: {choice.chosen}, by {rule if rule != 'mean' else 'the mean'}"
        options = {"color": "black", "label": name}
        (self.best_,) = self.ax_.plot([choice.chosen], [height], "o", **options)
        self.ax_.set_xticks(choice.compared)
        self._put_legend([*self.lines_.values(), self.best_] if legend else ())
        return self

    def frame(self):
        """The evidence as a pandas DataFrame, a line for each number of clusters.

        The mean is that of agreement and stability. The column "Gaussians" has what the
        plot shows, the gain in held-out log likelihood over the largest one, from 0 to
        1, and "gain" the gain itself. Values are missing where nothing was computed.
        """
        count = self.choice.gaussians
        gains = np.nan if count is None else count.gains
        return _style.make_frame(self._columns() | {"gain": gains})

    def _columns(self):
        """What is drawn, for all numbers that were compared."""
        choice, count = self.choice, self.choice.gaussians
        is_tried = np.isin(choice.compared, choice.numbers)
        columns = {"clusters": np.asarray(choice.compared)}
        mean = 0.5 * (choice.agreement + choice.stability)
        for name, values in (
            ("agreement", choice.agreement),
            ("stability", choice.stability),
            ("mean", mean),
        ):
            columns[name] = np.full(len(is_tried), np.nan)
            columns[name][is_tried] = values
        columns["Gaussians"] = np.full(len(is_tried), np.nan)
        if count is not None:
            gains = np.maximum(count.gains, 0.0)  # many of them may predict far worse
            columns["Gaussians"] = gains / max(gains.max(), 1e-300)
        return columns
