"""What a solver reported, iteration by iteration."""

import numpy as np

from widemargin.estimators import (
    LabelSearchClassifier,
    MaxMarginClustering,
    SelfLabelingGPC,
    SelfLabelingSVC,
    TransductiveSVC,
    TriClassSVC,
    UniversumSVC,
)
from widemargin.plots._frame import make_frame
from widemargin.plots._models import check_model, last_step
from widemargin.plots._style import (
    COLORS,
    load_pyplot,
    make_logarithmic,
    take_axes,
    use_whole_numbers,
)
from widemargin.solvers.pcg import check_interval
from widemargin.solvers.result import Status

_SEARCHERS = LabelSearchClassifier, MaxMarginClustering
_SELF_LABELERS = SelfLabelingGPC, SelfLabelingSVC
_HINGE_MACHINES = TransductiveSVC, TriClassSVC, UniversumSVC
_QUANTITIES = ("objective", "criterion", "gradient_norm", "decision_change")
_SPAN = 20  # positive values that span more are drawn on a logarithmic axis
_ROOM = 0.06  # below and above the values, as a share of their extent
_MARKED = 40  # fewer values have a marker each


class ConvergenceDisplay:
    """Objective, criterion and decision changes against the iteration.

    Make it with `from_estimator`.

    Parameters
    ----------
    history : dict of ndarrays
        Values by quantity, of "objective", "criterion", "gradient_norm" and
        "decision_change" those that the solver reported.
    iterations : dict of ndarrays
        Iteration of each of these values.
    stopped_at : int or None
        Iteration at which early stopping ended the run.
    labels : dict of str, optional
        What the quantities are called, if not by their names.
    step_name : str
        What an iteration is called.
    name : str
        What the model is called.

    Attributes
    ----------
    axes_ : ndarray of Axes
        One for each quantity that was drawn.
    ax_, figure_
        The first of them, and their figure.
    lines_ : dict of Line2D
        By quantity.
    stops_ : list of Line2D
        Where early stopping ended the run, in each of the axes.

    Notes
    -----
    Of self-labeling machines and of those with a hinge on unlabeled rows, the decision
    change is the share of unlabeled rows that were judged anew in each round. Of label
    searches, an iteration is a start and the objective the lowest so far.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # draws into files, opens no window
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> from widemargin.plots import ConvergenceDisplay
    >>> X, y = make_two_moons(200, noise=0.08, random_state=0)
    >>> model = LaplacianSVC(solver="pcg").fit(X, hide_labels(y, 6, rng=0))
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> sorted(display.lines_)
    ['criterion', 'decision_change', 'objective']
    >>> display.stopped_at == model.n_iter_
    True
    """

    def __init__(
        self,
        history,
        iterations,
        *,
        stopped_at=None,
        labels=None,
        step_name="iteration",
        name="",
    ):
        self.history = history
        self.iterations = iterations
        self.stopped_at = stopped_at
        self.labels = labels
        self.step_name = step_name
        self.name = name

    @classmethod
    def from_estimator(cls, estimator, *, ax=None, **options):
        """Draw how the solver of a fitted model went.

        Parameters
        ----------
        estimator : fitted estimator
            With ``result_.history``; a pipeline may be around it.
        ax : matplotlib Axes or sequence of them, optional
            As in `plot`.
        **options
            As in `plot`.

        Returns
        -------
        ConvergenceDisplay
        """
        check_model(estimator, cls.__name__)
        model = last_step(estimator)
        name = type(model).__name__
        result = getattr(model, "result_", None)
        history = {} if result is None else _read_history(model)
        if not history:
            raise ValueError(
                f"{cls.__name__} needs a model whose result_.history has values, "
                f"{name} has none; fit an iterative solver, such as "
                "LaplacianSVC(solver='pcg')."
            )
        is_early = result.status is Status.STOPPED_EARLY
        display = cls(
            history,
            {key: _count(key, history, model) for key in history},
            stopped_at=result.n_iter if is_early else None,
            labels=_name_quantities(model),
            step_name="start" if isinstance(model, _SEARCHERS) else "iteration",
            name=name,
        )
        return display.plot(ax, **options)

    def plot(self, ax=None, *, quantities=None):
        """Draw it, one quantity below the other.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            Where to draw: one for each quantity. By default a new figure.
        quantities : str or sequence of str, optional
            What to draw, of the keys of `history`. By default everything, but only
            one of criterion and gradient norm; in single axes, only the first.

        Returns
        -------
        self
        """
        quantities = self._choose(quantities, ax)
        axes = _take_panels(ax, len(quantities))
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        self.lines_, self.stops_ = {}, []
        for panel, key in zip(axes, quantities, strict=True):
            x, values = self.iterations[key], self.history[key]
            (self.lines_[key],) = panel.plot(
                x,
                values,
                color=COLORS[_QUANTITIES.index(key)],
                marker="o" if len(values) < _MARKED else None,
                markersize=4,
                linewidth=1.6,
            )
            panel.ticklabel_format(axis="y", useOffset=False)
            if key == "decision_change" or values.min() == 0:
                _start_at_zero(panel, values)
            elif values.min() > 0 and values.max() > _SPAN * values.min():
                make_logarithmic(panel.yaxis)
            panel.set_ylabel((self.labels or {}).get(key, key.replace("_", " ")))
            panel.grid(alpha=0.25, linewidth=0.6)
            if self.stopped_at is not None:
                stop = panel.axvline(
                    self.stopped_at, color="black", linestyle="dashed", linewidth=1.0
                )
                self.stops_.append(stop)
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
        return make_frame(
            {
                "quantity": [key for key, v in self.history.items() for _ in v],
                self.step_name: np.concatenate(list(self.iterations.values())),
                "value": np.concatenate(list(self.history.values())),
            }
        )

    def _choose(self, quantities, ax):
        """The quantities to draw, in order."""
        if quantities is None:
            chosen = [key for key in _QUANTITIES if key in self.history]
            if "criterion" in chosen and "gradient_norm" in chosen:
                chosen.remove("gradient_norm")
            is_single = ax is not None and not np.iterable(ax)
            return chosen[:1] if is_single else chosen
        chosen = [quantities] if isinstance(quantities, str) else list(quantities)
        unknown = [key for key in chosen if key not in self.history]
        if unknown or not chosen:
            raise ValueError(
                f"quantities of {type(self).__name__} must be among "
                f"{list(self.history)}, got {quantities!r}."
            )
        return chosen


def _take_panels(ax, n_panels):
    """Axes one below the other: the given ones, or those of a new figure."""
    if ax is None:
        height = 1.2 + 1.7 * n_panels
        _, ax = load_pyplot().subplots(
            n_panels, figsize=(6.4, height), layout="constrained", sharex=True
        )
    axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(axes) != n_panels:
        raise ValueError(
            f"ax of ConvergenceDisplay must hold {n_panels} Axes, one for each "
            f"quantity, got {len(axes)}; choose with quantities=..."
        )
    return np.array([take_axes(panel) for panel in axes], dtype=object)


def _start_at_zero(panel, values):
    """An axis of shares or counts, with room for the markers at zero."""
    use_whole_numbers(panel.yaxis, values)
    low, high = min(0.0, values.min()), max(0.0, values.max())
    extent = high - low or 1.0  # nothing has changed at all
    panel.set_ylim(low - _ROOM * extent, low + (1 + _ROOM) * extent)


def _read_history(model):
    """The quantities that the solver reported, as arrays."""
    found = {
        key: np.asarray(model.result_.history[key], dtype=np.float64)
        for key in _QUANTITIES
        if len(model.result_.history.get(key, ())) > 0
    }
    if isinstance(model, _SELF_LABELERS):  # their objective counts changes, too
        found.pop("objective", None)
    if isinstance(model, (*_SELF_LABELERS, *_HINGE_MACHINES)) and "criterion" in found:
        found["decision_change"] = found.pop("criterion")
    return found


def _name_quantities(model):
    """What the quantities of this model mean."""
    names = {"objective": "objective", "gradient_norm": "gradient norm"}
    if isinstance(model, _SEARCHERS):
        names["objective"] = "lowest objective"
    is_pcg = "gradient_norm" in model.result_.history
    is_newton = getattr(model, "solver_", None) == "newton"
    names["criterion"] = (
        "relative gradient norm" if is_pcg
        else "labels that switched" if is_newton
        else "criterion"
    )  # fmt: skip
    counts_right = getattr(model, "early_stopping", None) == "validation"
    names["decision_change"] = (
        "held-out labels\nnewly right" if counts_right
        else "share of decisions\nthat changed"
    )  # fmt: skip
    return names


def _count(key, history, model):
    """Iterations of the values of a quantity.

    A solver that reports one objective more than criteria reports where it starts;
    conjugate gradient reports all before each step, except for decisions, at which it
    looks from time to time.
    """
    n_values, n_iter = len(history[key]), model.result_.n_iter
    if "gradient_norm" not in history:
        others = [len(v) for k, v in history.items() if k != "objective"]
        has_start = key == "objective" and others and n_values > max(others)
        return np.arange(n_values) + (0 if has_start else 1)
    if key != "decision_change":
        return np.minimum(np.arange(n_values), n_iter)  # the last may be there twice
    looks = np.arange(2, n_values + 2)  # the first look has nothing to compare
    if model.result_.status is Status.STOPPED_EARLY:
        return looks * (n_iter // looks[-1])
    interval = check_interval(len(model.transduction_))
    return looks * min(interval, n_iter // looks[-1])
