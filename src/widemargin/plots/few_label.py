"""Candidates of a `FewLabelClassifier`, with their errors and weights."""

from dataclasses import dataclass

import numpy as np

from widemargin.plots import _models, _style
from widemargin.plots._style import Display

_ERRORS_SHARE = 0.7  # of the width; the weights have the rest
_ROW_HEIGHT = 0.36  # inches
_ROOM = 0.04  # of the errors, on either side, so that markers at the ends are whole
_MIN_SPAN = 0.1  # of the errors


@dataclass(repr=False, eq=False)
class FewLabelDisplay(Display):
    """Held-out error and weight of each candidate of a `FewLabelClassifier`.

    Make it with `from_estimator`; :mod:`widemargin.plots` has what displays share. Bars
    and the band are one standard error on each side.

    Parameters
    ----------
    report : FewLabelReport
        The candidates, the supervised model first, and the error of their average.

    Attributes
    ----------
    weights_ax_, weights_ : Axes, BarContainer
        The right part of ``ax_``, with the weights.
    errors_ : list of ErrorbarContainer
        One for each candidate with a known error.
    band_ : Rectangle or None
        Estimated error of the average; None if it is unknown.

    Examples
    --------
    >>> from widemargin import FewLabelClassifier
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> from widemargin.plots import FewLabelDisplay
    >>> X, y = make_two_moons(200, noise=0.08, random_state=0)
    >>> model = FewLabelClassifier(["laplacian", "transductive"], random_state=0)
    >>> model = model.fit(X, hide_labels(y, 10, rng=0))
    >>> display = FewLabelDisplay.from_estimator(model)
    >>> [candidate.name for candidate in display.report.candidates]
    ['supervised', 'laplacian', 'transductive']
    """

    report: object

    @classmethod
    def from_estimator(cls, estimator, **options):
        """Draw the ``report_`` of a model."""
        model, advice = _models.last_step(estimator), "pass a fitted FewLabelClassifier"
        _models.check_model(model, cls.__name__, needs=("report_",), advice=advice)
        return cls(model.report_, name=type(model).__name__).plot(**options)

    def plot(self, ax=None, *, legend=True):
        """Draw it, one row per candidate."""
        candidates = self.report.candidates
        size = 8.8 if legend else 6.8, 1.2 + _ROW_HEIGHT * len(candidates)
        ax = self._open(ax, size, titles=("", ""))
        beside = _ERRORS_SHARE, 0.0, 1.0 - _ERRORS_SHARE, 1.0
        self.weights_ax_ = _style.open_frame(ax.inset_axes(beside, sharey=ax))
        self._draw_errors()
        names = [_style.short_name(candidate.name) for candidate in candidates]
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.5)  # the supervised model at the top
        ax.tick_params(axis="y", length=0)
        self._set_errors()
        self._draw_weights()
        self._put_legend(self._handles() if legend else ())
        return self

    def frame(self):
        """The candidates as a pandas DataFrame: name, weight, error, standard error."""
        lines = self.report.candidates
        columns = {"candidate": [line.name for line in lines]}
        for name in ("weight", "error", "error_std"):
            columns[name] = [getattr(line, name) for line in lines]
        return _style.make_frame(columns)

    def _draw_errors(self):
        """A band for the average, and for each candidate a bar that ends with it."""
        self.band_, self.errors_ = None, []
        error, spread = self.report.error, self.report.error_std
        if self.report.n_held_out:
            self.ax_.axvline(error, color="black", linewidth=1.0, zorder=1)
            ends = max(0.0, error - spread), min(1.0, error + spread)
            look = {"color": _style.GRAY, "alpha": 0.2, "linewidth": 0, "zorder": 0}
            self.band_ = self.ax_.axvspan(*ends, **look)
        for row, candidate in enumerate(self.report.candidates):
            error, spread = candidate.error, candidate.error_std
            if np.isfinite(error):
                ends = [[min(spread, error)], [min(spread, 1.0 - error)]]
                look = {"markersize": 7, "elinewidth": 1.8, "zorder": 3, **_look(row)}
                self.errors_.append(self.ax_.errorbar(error, row, xerr=ends, **look))

    def _set_errors(self):
        """An axis from zero to the largest error, on the left part of the axes."""
        from matplotlib.ticker import MaxNLocator

        ax, candidates = self.ax_, self.report.candidates
        ends = [candidate.error + candidate.error_std for candidate in candidates]
        if self.band_ is not None:
            ends.append(self.report.error + self.report.error_std)
        most = min(1.0, np.nanmax([*ends, _MIN_SPAN])) if self.errors_ else 1.0
        low, high = -_ROOM * most, (1 + _ROOM) * most
        ticks = MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(0.0, most)
        ticks = ticks[ticks <= high]
        ax.set_xticks(ticks, [f"{100 * tick:g} %" for tick in ticks])
        ax.set_xlim(low, low + (high - low + 2 * _ROOM * most) / _ERRORS_SHARE)
        ax.spines["bottom"].set_bounds(low, high)
        ax.grid(axis="x", **_style.GRID)
        on = f" on {self.report.n_held_out:,} held-out labels" if self.errors_ else ""
        ax.set_xlabel(f"error{on}", x=_ERRORS_SHARE / 2)
        if not self.errors_:
            ax.text(
                _ERRORS_SHARE / 2, 0.5, "no label could be held out", ha="center",
                va="center", style="italic", backgroundcolor="white",
                transform=ax.transAxes,
            )  # fmt: skip

    def _draw_weights(self):
        ax, weights = self.weights_ax_, [line.weight for line in self.report.candidates]
        rows = range(len(weights))
        colors = [_look(row)["color"] for row in rows]
        self.weights_ = ax.barh(rows, weights, 0.6, color=colors)
        ax.bar_label(self.weights_, fmt="{:.2f}", padding=3, fontsize="small")
        ax.set_xlabel("weight", x=0.0, ha="left")
        ax.set(xlim=(0, 1.3), xticks=[])
        ax.spines["bottom"].set_visible(False)
        ax.tick_params(axis="y", length=0, labelleft=False)

    def _handles(self):
        """Entries of the marks, and of the error of the average as a number."""
        from matplotlib.patches import Patch

        names = ["supervised", "with unlabeled rows"][: len(self.report.candidates)]
        handles = [
            _style.line_handle(name, markersize=7, linewidth=1.8, **_look(row))
            for row, name in enumerate(names)
        ]
        if self.band_ is None:
            return handles
        error, spread = 100 * self.report.error, 100 * self.report.error_std
        upright = {"marker": "|", "markersize": 12, "linestyle": "none"}
        line = _style.line_handle(f"average: {error:.1f} %", color="black", **upright)
        band = Patch(color=_style.GRAY, alpha=0.35, linewidth=0)
        band.set_label(f"± {spread:.1f} %, standard error")
        return [*handles, line, band]


def _look(row):
    """Color and marker of a candidate; the supervised model is the first."""
    return _style.class_look(1 if row == 0 else 0)
