"""Inferred classes and margins of the unlabeled rows."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from widemargin.labels import decide, margins
from widemargin.plots import _models, _style
from widemargin.plots._style import Display

_WRONG = {"color": "black", "marker": ".", "linestyle": "none"}


@dataclass(repr=False, eq=False)
class TransductionDisplay(Display):
    """The unlabeled rows by inferred class, sorted by margin.

    There is one block per class, whose height is the number of its rows. Rows left of
    zero got a class that differs from their score, to keep the balance of the classes,
    for example. For two classes the margin is the score times the sign of the class;
    for more, half of the lead of the class over the best other one. Make it with
    `from_estimator`; :mod:`widemargin.plots` has what displays share.

    Parameters
    ----------
    rows, codes, margins : ndarrays of shape (n_unlabeled,)
        Positions of the unlabeled rows, by class and falling margin; their classes, of
        which irrelevant ones come last; their margins.
    classes, wrong : ndarray; ndarray of bool, shape (n_unlabeled,), optional
        The class names, and which rows have a different true class.

    Attributes
    ----------
    blocks_, wrong_ : dict of PolyCollection, Line2D or None
        By the code of the class, if it has rows; marks of the wrong rows.

    Examples
    --------
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> from widemargin.plots import TransductionDisplay
    >>> X, y = make_two_moons(150, random_state=0)
    >>> y_partial = hide_labels(y, 9, rng=0)
    >>> model = LaplacianSVC().fit(X, y_partial)
    >>> display = TransductionDisplay.from_estimator(model, X, y_partial, y_true=y)
    >>> int(display.sizes.sum())
    141
    """

    rows: np.ndarray
    codes: np.ndarray
    margins: np.ndarray
    classes: np.ndarray
    _: KW_ONLY
    wrong: np.ndarray | None = None

    @classmethod
    def from_estimator(cls, estimator, X, y, *, y_true=None, **options):
        """Draw the inferred classes of unlabeled rows; `y_true` marks wrong ones."""
        who = cls.__name__
        _models.check_classifier(estimator, who)
        found = _models.infer_rows(estimator, X, y, who)
        rows = np.flatnonzero(~found.labeled)
        if not len(rows):
            raise ValueError(
                f"y of {who} must have unlabeled rows, got {len(found.labeled)} labels "
                "in as many rows; mark rows with -1 or None."
            )
        scores = _models.score_matrix(estimator, X, len(found.classes), who)[rows]
        codes = found.codes[rows]
        own = margins(scores, np.where(codes < 0, decide(scores), codes))
        block = np.where(codes < 0, len(found.classes), codes)
        order = np.lexsort((rows, -own, block))
        wrong = None
        if y_true is not None:
            truth = np.asarray(y_true, dtype=object)
            _models.check_length(truth, len(found.codes), "y_true", who)
            wrong = _models.find_codes(truth, found.classes) != found.codes
            wrong = wrong[rows][order]
        facts = rows[order], codes[order], own[order], found.classes
        display = cls(*facts, wrong=wrong, name=_models.model_name(estimator))
        return display.plot(**options)

    @property
    def sizes(self):
        """Number of unlabeled rows in each class, shape (n_classes,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.classes))

    def plot(self, ax=None, *, legend=True):
        """Draw it; the legend explains the marks of wrong rows, if there are any."""
        codes = [*range(len(self.classes))] + ([-1] if (self.codes < 0).any() else [])
        size = 6.4, min(12.0, max(3.6, 1.2 + 0.32 * len(codes)))
        ax = self._open(ax, size, titles=("margin", "class of the unlabeled rows"))
        least = len(self.rows) / (3.0 * len(codes))  # room for the name of a class
        places = np.empty(len(self.rows))
        self.blocks_, ticks, names, top = {}, [], [], 0.0
        for code in codes:
            chosen = np.flatnonzero(self.codes == code)
            room = max(least, len(chosen))
            start = top + 0.5 * (room - len(chosen))
            places[chosen] = start + np.arange(len(chosen)) + 0.5
            name = "irrelevant" if code < 0 else _style.short_name(self.classes[code])
            if len(chosen):
                edges = start + np.arange(len(chosen) + 1)  # bars, joined to a shape
                ends = self.margins[[*chosen, chosen[-1]]]
                look = {"step": "post", "linewidth": 0, "alpha": 0.85}
                color = _style.class_color(code)
                self.blocks_[code] = ax.fill_betweenx(edges, ends, color=color, **look)
            ticks.append(top + 0.5 * room)
            names.append(f"{name}  ({len(chosen)})")
            top += room + 0.3 * least
        ax.axvline(0.0, color="black", linewidth=1.0)
        ax.set_yticks(ticks, names)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(top, -0.3 * least)  # the first class at the top
        self.wrong_, handles = None, []
        if self.wrong is not None and self.wrong.any():
            ends = self.margins[self.wrong], places[self.wrong]  # of their bars
            (self.wrong_,) = ax.plot(*ends, **_WRONG)
            handles = [_style.line_handle(f"wrong ({self.wrong.sum()})", **_WRONG)]
        self._put_legend(handles if legend else ())
        return self

    def frame(self):
        """The unlabeled rows as a pandas DataFrame: row, class, margin, wrong."""
        names = _style.class_names(self.codes, self.classes)
        columns = {"row": self.rows, "class": names, "margin": self.margins}
        wrong = {} if self.wrong is None else {"wrong": self.wrong}
        return _style.make_frame(columns | wrong)
