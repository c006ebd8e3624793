"""Rows, boundary and margin of a classifier in the plane."""

import math
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real

import numpy as np

from widemargin.labels import decide
from widemargin.plots import _models, _style
from widemargin.plots._style import Display

_BOUNDARY = {"color": "black", "linewidth": 1.4, "linestyle": "solid"}
_MARGIN = {"color": "black", "linewidth": 0.9, "linestyle": "dashed"}
_AGREEMENT = 0.9  # share of rows for which a slice must be right to be drawn
_BLOCK_VALUES = 20_000_000  # of rows that are evaluated at a time
_BORDER = 0.06  # around the rows, as a share of their extent


@dataclass(repr=False, eq=False)
class DecisionDisplay(Display):
    """Labeled and unlabeled rows, the boundary and the margin of a classifier.

    Make it with `from_estimator`; :mod:`widemargin.plots` has what displays share.

    Parameters
    ----------
    points, codes, labeled, classes, axis_names, name
        The rows, and titles.
    grid, scores : ndarrays of shapes (2, n_points) and (n_points, n_points, n_columns)
        Coordinates along each axis, and one-vs-rest scores; or None.

    Attributes
    ----------
    regions_, boundary_, margin_ : QuadMesh, lists of ContourSet
        The decisions in the plane; None and empty without scores.

    Examples
    --------
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> from widemargin.plots import DecisionDisplay
    >>> X, y = make_two_moons(200, noise=0.08, random_state=0)
    >>> y_partial = hide_labels(y, 6, rng=0)
    >>> model = LaplacianSVC().fit(X, y_partial)
    >>> display = DecisionDisplay.from_estimator(model, X, y_partial)
    >>> display.scores.shape
    (200, 200, 1)
    """

    points: np.ndarray
    codes: np.ndarray
    labeled: np.ndarray
    classes: np.ndarray
    _: KW_ONLY
    grid: tuple | None = None
    scores: np.ndarray | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y=None,
        *,
        projection="pca",
        boundary="auto",
        grid_resolution=200,
        block_values=_BLOCK_VALUES,
        **options,
    ):
        """Draw the decisions of a fitted classifier with a `decision_function`.

        Parameters
        ----------
        estimator, X, y, projection, **options
            See :mod:`widemargin.plots`. Without y rows have the predicted class.
        boundary : "auto", True or False, default="auto"
            Whether to evaluate the classifier on a grid. In a projection that is the
            slice through the mean of the rows; "auto" keeps it only if 90 % of the
            rows, moved onto the slice, keep their class. Your own points have none.
        grid_resolution, block_values : int, default=200 and 20_000_000
            Points of the grid along each axis; numbers that are evaluated at a time.
        """
        who = cls.__name__
        _models.check_classifier(estimator, who)
        if boundary not in ("auto", True, False):
            raise ValueError(
                f"boundary of {who} must be 'auto', True or False, got {boundary!r}."
            )
        if not isinstance(grid_resolution, Integral) or grid_resolution < 2:
            raise ValueError(
                f"grid_resolution of {who} must be a whole number >= 2, got "
                f"{grid_resolution!r}."
            )
        estimator, X = _models.see_through(estimator, X)
        X = X if hasattr(X, "shape") else np.asarray(X)
        plane = _models.make_plane(X, projection, who, estimator)
        if boundary is True and plane.lift is None:
            raise ValueError(
                f"boundary=True of {who} needs a way back from the plane to features, "
                "which your own points do not have; use boundary='auto'."
            )
        rows = _models.infer_rows(estimator, X, y, who)

        def evaluate(points):
            n_blocks = math.ceil(points.shape[0] * X.shape[1] / block_values)
            scored = [
                _models.score_matrix(estimator, plane.lift(own), len(rows.classes), who)
                for own in np.array_split(points, n_blocks)
            ]
            return np.concatenate(scored)

        grid = scores = None
        if _draws_grid(boundary, plane, rows, evaluate):
            low, high = plane.points.min(axis=0), plane.points.max(axis=0)
            border = np.where(high > low, _BORDER * (high - low), 0.5)
            grid = np.linspace(low - border, high + border, grid_resolution, axis=1)
            mesh = np.stack(np.meshgrid(*grid), axis=-1)  # (n_y, n_x, 2)
            scores = evaluate(mesh.reshape(-1, 2)).reshape(*mesh.shape[:2], -1)
        titles = {"axis_names": plane.axis_names, "name": _models.model_name(estimator)}
        display = cls(plane.points, **vars(rows), grid=grid, scores=scores, **titles)
        return display.plot(**options)

    def plot(self, ax=None, *, margin=1.0, legend=True):
        """Draw it, with dashed lines `margin` away from the boundary, or None.

        The distance is the score, or for more than two classes half of the lead over
        the next class.
        """
        if margin is not None and not (isinstance(margin, Real) and margin > 0):
            raise ValueError(
                f"margin of {type(self).__name__} must be a number > 0 or None, "
                f"got {margin!r}."
            )
        self._open(ax, names=self.classes if legend else ())
        self.regions_, self.boundary_, self.margin_ = None, [], []
        if self.scores is not None:
            self._draw_plane(margin)
        self._draw_classes(self.points, self.codes, self.labeled)
        self._put_legend(self._handles() if legend else ())
        return self

    def frame(self):
        """The rows as a pandas DataFrame: x, y, class, labeled."""
        names = _style.class_names(self.codes, self.classes)
        x, y = self.points.T
        columns = {"x": x, "y": y, "class": names, "labeled": self.labeled}
        return _style.make_frame(columns)

    def _draw_plane(self, margin):
        from matplotlib.colors import ListedColormap

        n_classes, n_columns = len(self.classes), self.scores.shape[-1]
        winners = decide(self.scores.reshape(-1, n_columns))
        winners = winners.reshape(self.scores.shape[:2])
        colors = ListedColormap([_style.class_color(code) for code in range(n_classes)])
        self.regions_ = self.ax_.pcolormesh(
            *self.grid, winners, cmap=colors, vmin=-0.5, vmax=n_classes - 0.5,
            shading="nearest", alpha=0.14, rasterized=True, linewidth=0,
        )  # fmt: skip
        for field in _boundary_fields(self.scores, winners):
            self.boundary_.append(self._contour(field, [0.0], _BOUNDARY))
        if margin is not None:
            field, levels = self.scores[..., 0], [-margin, margin]
            if n_columns > 1:  # half of the lead over the next class
                second, first = np.moveaxis(np.sort(self.scores, axis=-1), -1, 0)[-2:]
                field, levels = 0.5 * (first - second), [margin]
            if any(field.min() < level < field.max() for level in levels):
                self.margin_.append(self._contour(field, levels, _MARGIN))
        x, y = self.grid
        self.ax_.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))

    def _contour(self, field, levels, look):
        looks = {f"{name}s": value for name, value in look.items()}  # one per level
        return self.ax_.contour(*self.grid, field, levels=levels, zorder=2, **looks)

    def _handles(self):
        handles = self._class_handles(_style.class_handle(-1, "irrelevant"))
        if self.unlabeled_ and self.labeled_:
            handles.append(_style.kind_handle("unlabeled", is_labeled=False))
        if self.boundary_:
            handles.append(_style.line_handle("boundary", **_BOUNDARY))
        if self.margin_:
            handles.append(_style.line_handle("margin", **_MARGIN))
        return handles


def _draws_grid(boundary, plane, rows, evaluate):
    """Whether the decisions in the plane are to be drawn, and are those of the rows."""
    if boundary is False or plane.lift is None:
        return False
    if boundary is True or not plane.is_projection:
        return True
    known = rows.codes >= 0
    if not known.any():
        return False
    kept = decide(evaluate(plane.points[known])) == rows.codes[known]
    return np.mean(kept) >= _AGREEMENT


def _boundary_fields(scores, winners):
    """Fields that are zero on the boundary; each part of it belongs to one field.

    Field k compares class k with those after it, masked where an earlier class wins.
    """
    fields, present = [], np.unique(winners).tolist()
    if scores.shape[-1] == 1:
        return [scores[..., 0]] if len(present) > 1 else []
    for code in present[:-1]:
        field = scores[..., code] - scores[..., code + 1 :].max(axis=-1)
        before = winners < code
        shown = field[~before]
        if shown.min() < 0.0 < shown.max():
            fields.append(np.ma.masked_array(field, before))
    return fields
