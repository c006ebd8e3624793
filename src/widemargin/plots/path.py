"""Error or objective over the weights of a path of models."""

import numbers

import numpy as np

from widemargin.plots._frame import make_frame
from widemargin.plots._models import check_model, last_step
from widemargin.plots._style import (
    class_color,
    class_marker,
    line_handle,
    make_logarithmic,
    put_legend,
    take_axes,
    use_whole_numbers,
)

_WEIGHTS = ("ambient_reg", "intrinsic_reg", "unlabeled_weight", "C")


class PathDisplay:
    """Error or objective over a regularization weight, one line a series.

    Make it with `from_estimators` (models of `fit_path` or `fit_grid`),
    `from_estimator` (the path inside a model that averages over one) or `from_arrays`.

    Parameters
    ----------
    values : sequence of length n_values
        Values of the weight, in order.
    scores : ndarray of shape (n_series, n_values)
        What is drawn over them; NaN where nothing is known.
    parameter : str
        Name of the weight.
    score_name : str
        What is drawn.
    series : sequence of str, optional
        Names of the lines.
    mark_lowest : bool
        Whether to mark the lowest point of all, or those that share this place.
    name : str
        What the models are called.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    lines_ : list of Line2D
        One for each series.
    lowest_ : Line2D or None
        Mark of the lowest point, or of those that share this place.
    legend_ : Legend or None

    Notes
    -----
    Positive numbers are drawn on a logarithmic axis. If a zero or a name such as "auto"
    is among them, all values stand at equal distances.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # draws into files, opens no window
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> from widemargin.plots import PathDisplay
    >>> X, y = make_two_moons(200, noise=0.08, random_state=0)
    >>> models = LaplacianSVC().fit_grid(
    ...     X, hide_labels(y, 6, rng=0), ambient_reg=[1e-3, 1e-2],
    ...     intrinsic_reg=[0.01, 0.1, 1.0],
    ... )
    >>> display = PathDisplay.from_estimators(models, X, y)
    >>> display.parameter, display.scores.shape
    ('intrinsic_reg', (2, 3))
    """

    def __init__(
        self,
        values,
        scores,
        *,
        parameter="regularization",
        score_name="error",
        series=None,
        mark_lowest=True,
        name="",
    ):
        self.values = values
        self.scores = scores
        self.parameter = parameter
        self.score_name = score_name
        self.series = series
        self.mark_lowest = mark_lowest
        self.name = name

    @classmethod
    def from_estimators(
        cls,
        estimators,
        X=None,
        y=None,
        *,
        metric="auto",
        parameter=None,
        ax=None,
        **options,
    ):
        """Draw models that differ in their weights only.

        Parameters
        ----------
        estimators : sequence of fitted estimators
            As `fit_path` and `fit_grid` return them.
        X, y : array-likes, optional
            Rows with their classes in truth, for an error.
        metric : "error", "objective", callable or "auto", default="auto"
            Share of rows whose class is wrong; the objective where the solver ended; or
            a function ``metric(estimator, X, y)``. "auto" is "error" with X and y, else
            "objective". Objectives of different weights are different functions: their
            lowest point means nothing and is not marked.
        parameter : str, optional
            The weight for the horizontal axis. By default, of those that differ, the
            one with most values. The others make the series.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        **options
            As in `plot`.

        Returns
        -------
        PathDisplay
        """
        who, models = cls.__name__, _check_models(estimators, cls.__name__)
        parameters = _differing(models, parameter, who)
        parameter, others = parameters[0], parameters[1:]
        metric = ("objective" if y is None else "error") if metric == "auto" else metric
        compute = _make_metric(metric, X, y, who)
        keys = [getattr(model, parameter) for model in models]
        groups = [tuple(getattr(m, name) for name in others) for m in models]
        values, lines = _in_order(keys), list(dict.fromkeys(groups))
        scores = np.full((len(lines), len(values)), np.nan)
        for model, key, group in zip(models, keys, groups, strict=True):
            scores[lines.index(group), values.index(key)] = compute(model)
        series = [
            ", ".join(
                f"{name}={_plain(value)}"
                for name, value in zip(others, group, strict=True)
            )
            for group in lines
        ]
        score_name = metric if isinstance(metric, str) else _metric_name(metric)
        display = cls(
            values,
            scores,
            parameter=parameter,
            score_name=score_name,
            series=series if others else None,
            mark_lowest=metric != "objective",
            name=type(models[0]).__name__,
        )
        return display.plot(ax, **options)

    @classmethod
    def from_estimator(cls, estimator, *, ax=None, **options):
        """Draw the held-out errors of the machines that a model averages.

        Parameters
        ----------
        estimator : fitted estimator
            With ``unlabeled_weight="auto"``, so that ``average_`` has a path; a
            pipeline may be around it.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        **options
            As in `plot`.

        Returns
        -------
        PathDisplay
        """
        check_model(estimator, cls.__name__)
        model = last_step(estimator)
        average = getattr(model, "average_", None)
        weights = getattr(model, "unlabeled_weights_", None)
        weights = getattr(average, "unlabeled_weights", weights)
        if average is None or weights is None:
            raise ValueError(
                f"{cls.__name__}.from_estimator needs a model that averages over a "
                f"path of unlabeled weights, {type(model).__name__} has none in "
                "average_; fit it with unlabeled_weight='auto' and unlabeled rows, or "
                "use from_estimators with the models of fit_path or fit_grid."
            )
        display = cls(
            list(weights),
            np.asarray(average.errors, dtype=np.float64)[None, :],
            parameter="unlabeled_weight",
            score_name="held-out labels that are wrong",
            name=type(model).__name__,
        )
        return display.plot(ax, **options)

    @classmethod
    def from_arrays(
        cls,
        values,
        scores,
        *,
        parameter="regularization",
        score_name="error",
        series=None,
        mark_lowest=True,
        ax=None,
        **options,
    ):
        """Draw numbers of your own.

        Parameters
        ----------
        values : array-like of shape (n_values,)
            Values of the weight, in any order.
        scores : array-like of shape (n_values,) or (n_series, n_values)
            What to draw over them.
        parameter, score_name, series, mark_lowest
            As in the class.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        **options
            As in `plot`.

        Returns
        -------
        PathDisplay
        """
        values = list(np.asarray(values).tolist())
        scores = np.atleast_2d(np.asarray(scores, dtype=np.float64))
        if scores.ndim != 2 or scores.shape[1] != len(values) or not values:
            raise ValueError(
                f"scores of {cls.__name__} must have one column for each of the "
                f"{len(values)} values, got shape {scores.shape}."
            )
        if series is not None and len(series) != len(scores):
            raise ValueError(
                f"series of {cls.__name__} must have {len(scores)} names, one for each "
                f"row of scores, got {len(series)}."
            )
        order = sorted(range(len(values)), key=lambda i: _sort_key(values[i]))
        display = cls(
            [values[i] for i in order],
            scores[:, order],
            parameter=parameter,
            score_name=score_name,
            series=series,
            mark_lowest=mark_lowest,
        )
        return display.plot(ax, **options)

    def plot(self, ax=None, *, legend=True):
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        legend : bool, default=True
            Whether to put the names of the series to the right of the axes.

        Returns
        -------
        self
        """
        names = self.series if legend and self.series is not None else ()
        self.ax_ = ax = take_axes(ax, (6.4, 4.0), names=names)
        self.figure_ = ax.figure
        is_log = all(_is_number(value) and value > 0 for value in self.values)
        x = np.asarray(self.values, float) if is_log else np.arange(len(self.values))
        self.lines_ = []
        for code, line in enumerate(self.scores):
            look = {"color": class_color(code), "marker": class_marker(code)}
            known = np.isfinite(line)
            self.lines_ += ax.plot(
                x[known], line[known], markersize=6, linewidth=1.6, **look
            )
        if is_log:
            make_logarithmic(ax.xaxis)
        else:
            ax.set_xticks(x, [_plain(value) for value in self.values])
        if not np.nan_to_num(self.scores).any():
            ax.set_ylim(-0.05, 1.0)  # no errors at all
        use_whole_numbers(ax.yaxis, self.scores)
        self.lowest_ = self._mark(x) if self.mark_lowest else None
        ax.grid(alpha=0.25, linewidth=0.6)
        ax.set(xlabel=self.parameter, ylabel=self.score_name, title=self.name)
        self.legend_ = put_legend(ax, self._handles()) if legend else None
        return self

    def frame(self):
        """The points as a pandas DataFrame: series, value of the weight, score."""
        n_series, n_values = self.scores.shape
        names = self.series if self.series is not None else [""] * n_series
        return make_frame(
            {
                "series": [name for name in names for _ in range(n_values)],
                self.parameter: list(self.values) * n_series,
                self.score_name: self.scores.ravel(),
            }
        )

    def _mark(self, x):
        """Rings around the lowest points."""
        if not np.isfinite(self.scores).any():
            return None
        rows, columns = np.nonzero(self.scores == np.nanmin(self.scores))
        (rings,) = self.ax_.plot(
            x[columns], self.scores[rows, columns], linestyle="none", marker="o",
            markersize=14, markerfacecolor="none", markeredgecolor="black",
        )  # fmt: skip
        return rings

    def _handles(self):
        handles = []
        for code, name in enumerate(self.series if self.series is not None else ()):
            look = {"color": class_color(code), "marker": class_marker(code)}
            handles.append(line_handle(name, **look))
        if self.lowest_ is not None:
            ring = {
                "linestyle": "none", "marker": "o", "markersize": 11,
                "markerfacecolor": "none", "markeredgecolor": "black",
            }  # fmt: skip
            handles.append(line_handle("lowest", **ring))
        return handles


def _check_models(estimators, who):
    """The models of a path, all of one kind."""
    if hasattr(estimators, "fit") or not np.iterable(estimators):
        raise TypeError(
            f"estimators of {who} must be a list of fitted models, as fit_path and "
            f"fit_grid return, got {type(estimators).__name__}; use from_estimator for "
            "a single one."
        )
    models = list(estimators)
    for model in models:
        check_model(model, who)
    kinds = sorted({type(model).__name__ for model in models})
    if len(kinds) != 1:
        raise ValueError(
            f"estimators of {who} must be models of one kind, got "
            f"{' and '.join(kinds) or 'an empty list'}; use fit_path or fit_grid."
        )
    return models


def _differing(models, parameter, who):
    """Names of the weights that differ, that of the horizontal axis first."""
    own = [name for name in _WEIGHTS if hasattr(models[0], name)]
    counts = {name: len({getattr(m, name) for m in models}) for name in own}
    differing = sorted(
        (name for name in own if counts[name] > 1), key=lambda name: -counts[name]
    )
    if parameter is None:
        return differing or own[:1]
    if parameter not in models[0].get_params():
        raise ValueError(
            f"parameter of {who} must be a parameter of {type(models[0]).__name__}, "
            f"such as {', '.join(own)}, got {parameter!r}."
        )
    return [parameter, *(name for name in differing if name != parameter)]


def _make_metric(metric, X, y, who):
    """A function of a model."""
    if callable(metric):
        return lambda model: float(metric(model, X, y))
    if metric == "objective":
        return lambda model: float(model.result_.objective)
    if metric != "error":
        raise ValueError(
            f"metric of {who} must be 'auto', 'error', 'objective' or a function "
            f"metric(estimator, X, y), got {metric!r}."
        )
    if X is None or y is None:
        raise ValueError(
            f"metric='error' of {who} needs X and y, rows with their classes in "
            "truth; pass them, or use metric='objective'."
        )

    def error(model):
        if not hasattr(model, "classes_"):
            raise ValueError(
                f"metric='error' of {who} needs classifiers, got "
                f"{type(model).__name__}; pass a function, such as "
                "lambda model, X, y: 1 - adjusted_rand_score(y, model.predict(X))."
            )
        return 1.0 - float(model.score(X, y))

    return error


def _metric_name(metric):
    name = getattr(metric, "__name__", "score")
    return "score" if name == "<lambda>" else name.strip("_").replace("_", " ")


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _sort_key(value):
    """Numbers in order, then names."""
    return (0, value, "") if _is_number(value) else (1, 0, str(value))


def _in_order(values):
    return sorted(dict.fromkeys(values), key=_sort_key)


def _plain(value):
    return f"{value:g}" if _is_number(value) else str(value)
