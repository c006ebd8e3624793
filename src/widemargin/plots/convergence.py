"""What a solver recorded, iteration by iteration."""

from dataclasses import KW_ONLY, dataclass, field

import numpy as np

from widemargin.estimators._estimator import Estimator
from widemargin.plots import _models, _style
from widemargin.plots._style import Display
from widemargin.solvers.result import Status

_TITLES = Estimator.history_names  # also of estimators that declare none
_LOG_SPAN = 20  # positive values that span more are drawn on a logarithmic axis
_ROOM = 0.06  # below and above the values, as a share of their extent
_MAX_MARKERS = 40  # more values have no marker each


@dataclass(repr=False, eq=False)
class ConvergenceDisplay(Display):
    """Objective, criterion and decision changes against the iteration.

    Make it with `from_estimator`; :mod:`widemargin.plots` has what displays share. The
    criterion of self-labeling models, and of those with a hinge loss on unlabeled rows,
    is the share of unlabeled rows whose class changed in each round. Label searches
    have one entry per start, and their objective is the lowest so far.

    Parameters
    ----------
    history, iterations : dicts of ndarrays
        Values by quantity: those of "objective", "criterion", "gradient_norm" and
        "decision_change" that the solver recorded; and the iteration of each value.
    stopped_at : int or None
        Iteration at which early stopping ended the run.
    labels, step_name : dict of str, optional; str
        Titles of the quantities, and what an iteration is called.

    Attributes
    ----------
    axes_, stops_ : ndarray of Axes, list of Line2D
        For each quantity that was drawn, its axes and where early stopping ended it.
    lines_ : dict of Line2D
        By quantity.

    Examples
    --------
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> from widemargin.plots import ConvergenceDisplay
    >>> X, y = make_two_moons(200, noise=0.08, random_state=0)
    >>> model = LaplacianSVC(solver="pcg").fit(X, hide_labels(y, 6, rng=0))
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> sorted(display.lines_)
    ['criterion', 'decision_change', 'objective']
    """

    history: dict
    iterations: dict
    _: KW_ONLY
    stopped_at: int | None = None
    labels: dict = field(default_factory=dict)
    step_name: str = "iteration"

    @classmethod
    def from_estimator(cls, estimator, **options):
        """Draw what the solver of a fitted model recorded in ``result_.history``."""
        _models.check_model(estimator, cls.__name__)
        model = _models.last_step(estimator)
        result = getattr(model, "result_", None)
        titles = getattr(model, "history_names", _TITLES)
        recorded = {} if result is None else result.history
        known = [key for key in titles if len(recorded.get(key, ()))]
        history = {key: np.asarray(recorded[key], dtype=np.float64) for key in known}
        if not history:
            raise ValueError(
                f"{cls.__name__} needs a model whose result_.history has values, "
                f"{type(model).__name__} has none; fit an iterative solver, such as "
                "LaplacianSVC(solver='pcg')."
            )
        iterations = {key: _count(key, recorded, result.n_iter) for key in history}
        names = {"labels": titles, "name": type(model).__name__}
        names["step_name"] = getattr(model, "step_name", cls.step_name)
        is_early = result.status is Status.STOPPED_EARLY
        stopped_at = result.n_iter if is_early else None
        return cls(history, iterations, stopped_at=stopped_at, **names).plot(**options)

    def plot(self, ax=None, *, quantities=None):
        """Draw it, one quantity below the other; `ax` may hold one Axes for each.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
        quantities : str or sequence of str, optional
            What to draw, of the keys of `history`. By default everything, but only
            one of criterion and gradient norm; in single axes, only the first.
        """
        quantities = self._choose(quantities, ax)
        n_panels = len(quantities)
        if ax is None:
            ax = _style.new_axes((6.4, 1.2 + 1.7 * n_panels), n_panels)
        axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if len(axes) != n_panels:
            raise ValueError(
                f"ax of ConvergenceDisplay must hold {n_panels} Axes, one for each "
                f"quantity, got {len(axes)}; choose with quantities=..."
            )
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        self.lines_, self.stops_ = {}, []
        for panel, key in zip(axes, quantities, strict=True):
            self._draw(_style.open_frame(panel), key)
        axes[-1].set_xlabel(self.step_name)
        if max(x.max() - x.min() for x in self.iterations.values()) < 1:
            axes[-1].set_xticks(self.iterations[quantities[0]])
        else:
            axes[-1].xaxis.get_major_locator().set_params(integer=True)
        stop = f", stopped early after {self.stopped_at} {self.step_name}s"
        self.figure_.align_ylabels(axes)
        axes[0].set_title(self.name + (stop if self.stopped_at is not None else ""))
        return self

    def frame(self):
        """The values as a pandas DataFrame: quantity, iteration, value."""
        columns = {
            "quantity": [key for key, values in self.history.items() for _ in values],
            self.step_name: np.concatenate(list(self.iterations.values())),
            "value": np.concatenate(list(self.history.values())),
        }
        return _style.make_frame(columns)

    def _draw(self, panel, key):
        """One quantity."""
        values, title = self.history[key], self.labels.get(key, _TITLES.get(key, key))
        (self.lines_[key],) = panel.plot(
            self.iterations[key], values, linewidth=1.6, markersize=4,
            marker="o" if len(values) < _MAX_MARKERS else None,
            color=_style.COLORS[list(_TITLES).index(key) if key in _TITLES else 0],
        )  # fmt: skip
        panel.ticklabel_format(axis="y", useOffset=False)
        if title.startswith("share") or values.min() == 0:
            _style.use_whole_numbers(panel.yaxis, values)
            low, high = min(0.0, values.min()), max(0.0, values.max())
            extent = high - low or 1.0  # nothing has changed at all
            panel.set_ylim(low - _ROOM * extent, low + (1 + _ROOM) * extent)
        elif values.min() > 0 and values.max() > _LOG_SPAN * values.min():
            _style.make_logarithmic(panel.yaxis)
        panel.set_ylabel(title)
        panel.grid(**_style.GRID)
        if self.stopped_at is not None:
            look = {"color": "black", "linestyle": "dashed", "linewidth": 1.0}
            self.stops_.append(panel.axvline(self.stopped_at, **look))

    def _choose(self, quantities, ax):
        """The quantities to draw, in order."""
        if quantities is None:
            chosen = list(self.history)
            if "criterion" in chosen and "gradient_norm" in chosen:
                chosen.remove("gradient_norm")
            is_single = ax is not None and not np.iterable(ax)
            return chosen[:1] if is_single else chosen
        chosen = [quantities] if isinstance(quantities, str) else list(quantities)
        if not chosen or not set(chosen) <= set(self.history):
            raise ValueError(
                f"quantities of {type(self).__name__} must be among "
                f"{list(self.history)}, got {quantities!r}."
            )
        return chosen


def _count(key, history, n_iter):
    """Iterations of the values of a quantity.

    A solver with gradient norms records before each step; others record after it,
    except for one objective more than criteria, which is that of the start.
    """
    n_values = len(history[key])
    if key == "decision_change" and "decision_iteration" in history:
        return np.asarray(history["decision_iteration"])
    if "gradient_norm" in history:
        return np.minimum(np.arange(n_values), n_iter)  # the last may be there twice
    n_criteria = len(history.get("criterion", ()))
    has_start = key == "objective" and n_values > n_criteria > 0
    return np.arange(n_values) + (0 if has_start else 1)
