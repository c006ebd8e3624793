"""Error or objective over a parameter of a path of models."""

import numbers
from dataclasses import KW_ONLY, dataclass

import numpy as np

from widemargin.plots import _models, _style
from widemargin.plots._style import Display

_RING = {
    "linestyle": "none", "marker": "o", "markerfacecolor": "none",
    "markeredgecolor": "black",
}  # fmt: skip


@dataclass(repr=False, eq=False)
class PathDisplay(Display):
    """Error or objective over a parameter, such as a penalty, one line per series.

    Make it with `from_estimators` (models of `fit_path` or `fit_grid`),
    `from_estimator` (the models that a model averages) or `from_arrays`.
    :mod:`widemargin.plots` has what displays share. Positive numbers are drawn on a
    logarithmic axis. If a zero or a name such as "auto" is among them, all values stand
    at equal distances.

    Parameters
    ----------
    values : sequence of length n_values
        Values of the parameter, in order.
    scores : ndarray of shape (n_series, n_values)
        The values to draw; NaN where there is none.
    parameter, score_name, series : str, str, sequence of str
        Names of the parameter, of the scores and, optionally, of the lines.
    mark_lowest : bool
        Whether to mark the lowest point, or all points that share this place.

    Attributes
    ----------
    lines_, lowest_ : list of Line2D, Line2D or None
        One for each series, and the mark of the lowest points.

    Examples
    --------
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> from widemargin.plots import PathDisplay
    >>> X, y = make_two_moons(200, noise=0.08, random_state=0)
    >>> grid = {"ambient_reg": [1e-3, 1e-2], "intrinsic_reg": [0.01, 0.1, 1.0]}
    >>> models = LaplacianSVC().fit_grid(X, hide_labels(y, 6, rng=0), **grid)
    >>> display = PathDisplay.from_estimators(models, X, y)
    >>> display.parameter, display.scores.shape
    ('intrinsic_reg', (2, 3))
    """

    values: list
    scores: np.ndarray
    _: KW_ONLY
    parameter: str = "regularization"
    score_name: str = "error"
    series: list | None = None
    mark_lowest: bool = True

    @classmethod
    def from_estimators(
        cls, estimators, X=None, y=None, *, metric="auto", parameter=None, **options
    ):
        """Draw models that differ in a few parameters.

        Parameters
        ----------
        estimators, **options
            Fitted, as `fit_path` and `fit_grid` return them; arguments of `plot`.
        X, y : array-likes, optional
            Rows and their true classes, for an error.
        metric : "error", "objective", callable or "auto", default="auto"
            Share of rows whose class is wrong; the objective where the solver ended,
            whose lowest point means nothing; or a function ``metric(estimator, X, y)``.
            "auto" is "error" with X and y, else "objective".
        parameter : str, optional
            For the horizontal axis, by default the one with the most values. The other
            parameters that differ make the series.
        """
        who, models = cls.__name__, _check_models(estimators, cls.__name__)
        parameter, *others = _differing(models, parameter, who)
        metric = ("objective" if y is None else "error") if metric == "auto" else metric
        keys = [getattr(model, parameter) for model in models]
        groups = [tuple(getattr(m, name) for name in others) for m in models]
        values = sorted(dict.fromkeys(keys), key=_sort_key)
        lines = list(dict.fromkeys(groups))
        scores = np.full((len(lines), len(values)), np.nan)
        for model, key, group in zip(models, keys, groups, strict=True):
            score = _evaluate(model, metric, X, y, who)
            scores[lines.index(group), values.index(key)] = score
        own_name = getattr(metric, "__name__", "score").replace("<lambda>", "score")
        score_name = metric if isinstance(metric, str) else own_name
        named = [zip(others, map(_plain, group), strict=True) for group in lines]
        series = [", ".join(f"{name}={value}" for name, value in own) for own in named]
        names = {"parameter": parameter, "name": type(models[0]).__name__}
        names["score_name"] = score_name.strip("_").replace("_", " ")
        names["series"] = series if others else None
        display = cls(values, scores, mark_lowest=metric != "objective", **names)
        return display.plot(**options)

    @classmethod
    def from_estimator(cls, estimator, **options):
        """Draw the held-out errors of the models that an estimator averages.

        It has ``average_.errors``, and the fitted attribute that ``averaged`` names.
        """
        _models.check_model(estimator, cls.__name__)
        model = _models.last_step(estimator)
        errors = getattr(getattr(model, "average_", None), "errors", None)
        names = getattr(model, getattr(model, "averaged", None) or "", None)
        if errors is None or names is None:
            raise ValueError(
                f"{cls.__name__}.from_estimator needs a model that averages over a "
                f"path of models, {type(model).__name__} has none in average_; fit it "
                "with unlabeled_weight='auto' and unlabeled rows, or use "
                "from_estimators with the models of fit_path or fit_grid."
            )
        parameter = model.averaged.removesuffix("_").removesuffix("s")
        title = "share of held-out labels that are wrong"
        titles = {"score_name": title, "name": type(model).__name__}
        scores = np.asarray(errors, dtype=np.float64)[None, :]
        return cls(list(names), scores, parameter=parameter, **titles).plot(**options)

    @classmethod
    def from_arrays(cls, values, scores, *, ax=None, legend=True, **fields):
        """Draw numbers of your own, for values of a parameter in any order.

        `fields` are other parameters of the class: `parameter`, `score_name` and so on.
        """
        values, series = np.asarray(values).tolist(), fields.get("series")
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
        display = cls([values[i] for i in order], scores[:, order], **fields)
        return display.plot(ax, legend=legend)

    def plot(self, ax=None, *, legend=True):
        """Draw it; the legend has the names of the series."""
        names = self.series if legend and self.series is not None else ()
        ax = self._open(ax, (6.4, 4.0), names, titles=(self.parameter, self.score_name))
        is_log = all(_is_number(value) and value > 0 for value in self.values)
        x = np.asarray(self.values, float) if is_log else np.arange(len(self.values))
        self.lines_ = []
        for code, line in enumerate(self.scores):
            known, size = np.isfinite(line), {"markersize": 6, "linewidth": 1.6}
            self.lines_ += ax.plot(
                x[known], line[known], **size, **_style.class_look(code)
            )
        if is_log:
            _style.make_logarithmic(ax.xaxis)
        else:
            ax.set_xticks(x, [_plain(value) for value in self.values])
        if not np.nan_to_num(self.scores).any():
            ax.set_ylim(-0.05, 1.0)  # no errors at all
        _style.use_whole_numbers(ax.yaxis, self.scores)
        self.lowest_ = None
        if self.mark_lowest and np.isfinite(self.scores).any():
            rows, columns = np.nonzero(self.scores == np.nanmin(self.scores))
            y = self.scores[rows, columns]
            (self.lowest_,) = ax.plot(x[columns], y, markersize=14, **_RING)
        ax.grid(**_style.GRID)
        names = enumerate(self.series or ())
        handles = [
            _style.line_handle(name, **_style.class_look(code)) for code, name in names
        ]
        if self.lowest_ is not None:
            handles.append(_style.line_handle("lowest", markersize=11, **_RING))
        self._put_legend(handles if legend else ())
        return self

    def frame(self):
        """The points as a pandas DataFrame: series, value of the parameter, score."""
        n_series, n_values = self.scores.shape
        names = self.series or [""] * n_series
        columns = {
            "series": [name for name in names for _ in range(n_values)],
            self.parameter: list(self.values) * n_series,
            self.score_name: self.scores.ravel(),
        }
        return _style.make_frame(columns)


def _check_models(estimators, who):
    """The models of a path, all of one class."""
    if hasattr(estimators, "fit") or not np.iterable(estimators):
        raise TypeError(
            f"estimators of {who} must be a list of fitted models, as fit_path and "
            f"fit_grid return, got {type(estimators).__name__}; use from_estimator for "
            "a single one."
        )
    models = list(estimators)
    for model in models:
        _models.check_model(model, who)
    kinds = sorted({type(model).__name__ for model in models})
    if len(kinds) != 1:
        raise ValueError(
            f"estimators of {who} must be models of one kind, got "
            f"{' and '.join(kinds) or 'an empty list'}; use fit_path or fit_grid."
        )
    return models


def _differing(models, parameter, who):
    """Names of the parameters that differ, that of the horizontal axis first."""
    params = [model.get_params(deep=False) for model in models]
    counts = {key: len({repr(own[key]) for own in params}) for key in params[0]}
    differing = sorted((k for k in counts if counts[k] > 1), key=lambda k: -counts[k])
    if parameter is not None and parameter not in counts:
        raise ValueError(
            f"parameter of {who} must be a parameter of {type(models[0]).__name__}, "
            f"such as {', '.join(differing) or next(iter(counts))}, got {parameter!r}."
        )
    first = parameter or next(iter([*differing, *counts]))
    return [first, *(name for name in differing if name != first)]


def _evaluate(model, metric, X, y, who):
    if callable(metric):
        return float(metric(model, X, y))
    if metric == "objective":
        return float(model.result_.objective)
    if metric != "error":
        raise ValueError(
            f"metric of {who} must be 'auto', 'error', 'objective' or a function "
            f"metric(estimator, X, y), got {metric!r}."
        )
    if X is None or y is None:
        raise ValueError(
            f"metric='error' of {who} needs X and y, rows and their true classes; "
            "pass them, or use metric='objective'."
        )
    if not hasattr(model, "classes_"):
        raise ValueError(
            f"metric='error' of {who} needs classifiers, got {type(model).__name__}; "
            "pass a function, such as "
            "lambda model, X, y: 1 - adjusted_rand_score(y, model.predict(X))."
        )
    return 1.0 - float(model.score(X, y))


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _sort_key(value):
    """Numbers in order, then names."""
    return (0, value, "") if _is_number(value) else (1, 0, str(value))


def _plain(value):
    return f"{value:g}" if _is_number(value) else str(value)
