"""What `FewLabelClassifier` tried, with which weight, and what it means."""

from dataclasses import dataclass, field
from html import escape

import numpy as np

from widemargin.averaging import share_std
from widemargin.defaults import CLEAR_SHARE
from widemargin.estimators.interaction import Suspects
from widemargin.stored import Stored, require

_NOTEWORTHY_WEIGHT = 0.05  # of a candidate whose warnings are passed on


@dataclass(frozen=True)
class CandidateReport(Stored):
    """The results of one candidate."""

    name: str
    weight: float
    error: float  # share of held-out labels that it gets wrong; NaN if there are none
    error_std: float
    changed: float  # share of unlabeled rows that the supervised model puts elsewhere
    n_rows: int  # that it learned from
    seconds: float


@dataclass(frozen=True)
class FewLabelReport(Stored):
    """How `FewLabelClassifier` arrived at its predictions; print it.

    Attributes
    ----------
    candidates : tuple of CandidateReport
        The supervised model first.
    error, error_std : float
        Estimated error of the predictions for new rows, and its standard error; if no
        label could be held out, half of chance and a large one.
    n_labeled, n_unlabeled, n_held_out, n_changed : int
        Labels, unlabeled rows, labels that were held out (copies of a row are one), and
        unlabeled rows whose class differs from that of the supervised model.
    n_random : int or None
        Held-out labels of random rows, by which the error is estimated; None if all
        labels are such, see `random_labels` of `FewLabelClassifier.fit`.
    label_next : ndarray of int
        Positions, from 0, of the rows whose label would help the most, the best first:
        ``X[label_next]``, or ``.iloc[label_next]`` of a data frame.
    check_rows : ndarray of int or None
        Those of them that were drawn at random, see `FewLabelClassifier.suggest`. None,
        as for `suspect_labels`, in a file of version 0.2.0.
    suspect_labels : Suspects or None
        Given labels that models without them contradict, the least probable one first:
        `rows`, `probabilities`, `suggested` and `frame()`.
    helps : bool or None
        Whether unlabeled rows seem to help: True if the average makes fewer mistakes
        than the supervised model, by more than chance explains; False if that model
        would outweigh all others under equal priors; None if the labels cannot decide.
    messages : tuple of str
        What a user should know.
    chosen_rows : ndarray of int or None
        Positions of the labeled rows that were not drawn at random, see
        `random_labels` of `FewLabelClassifier.fit`.
    """

    candidates: tuple
    error: float
    error_std: float
    n_held_out: int
    n_labeled: int
    n_unlabeled: int
    n_changed: int
    label_next: np.ndarray = field(repr=False)
    suspect_labels: Suspects | None = field(repr=False)
    helps: bool | None
    messages: tuple
    check_rows: np.ndarray | None = field(default=None, repr=False)
    n_random: int | None = None
    chosen_rows: np.ndarray | None = field(default=None, repr=False)

    def check(self, n_features):
        """Raise ValueError unless it lists candidates, row numbers and texts."""
        are_lines = all(isinstance(c, CandidateReport) for c in self.candidates)
        require(are_lines and len(self.candidates) > 0, self, "candidates")
        for name in ("label_next", "check_rows", "chosen_rows"):
            rows = getattr(self, name)
            fits = rows is None or (rows.ndim == 1 and rows.dtype.kind == "i")
            require(fits, self, name)
        are_texts = all(isinstance(text, str) for text in self.messages)
        require(are_texts, self, "messages")

    def frame(self):
        """The candidates as a :class:`pandas.DataFrame`, indexed by name."""
        import pandas as pd

        columns = CandidateReport.__dataclass_fields__
        rows = [[getattr(c, name) for name in columns] for c in self.candidates]
        return pd.DataFrame(rows, columns=list(columns)).set_index("name")

    def __str__(self):
        return self.text()

    def text(self, first_row=0):
        """The report as a text, in which `first_row` is the number of the first row."""
        width = max(len(c.name) for c in self.candidates)
        lines = [
            self._first_line(),
            "",
            f"{'candidate':{width}}  weight  held-out error  changed   rows  seconds",
        ]
        for c in self.candidates:
            error = _percent(c.error, c.error_std)
            lines.append(
                f"{c.name:{width}}  {c.weight:6.2f}  {error:>14}  "
                f"{100 * c.changed:5.1f} %  {c.n_rows:5,}  {c.seconds:7.2f}"
            )
        error = _percent(self.error if self.n_held_out else np.nan, self.error_std)
        share = 100 * self.n_changed / max(self.n_unlabeled, 1)
        lines += [
            "",
            f"Estimated error of the average: {error}",
            "Unlabeled rows whose class differs from the labels-only model: "
            f"{self.n_changed:,} ({share:.1f} %)",
        ]
        lines += [f"{title}: {text}" for title, text in self._row_lists(first_row)]
        lines += [f"Note: {message}" for message in self.messages]
        return "\n".join(lines)

    def _first_line(self):
        """How many rows there are, and how many labels the estimates are made of."""
        line = (
            f"{self.n_labeled:,} labels, {self.n_unlabeled:,} unlabeled rows, "
            f"{self.n_held_out:,} labels held out in turn"
        )
        if self.n_random is None:
            return line
        return f"{line} ({self.n_random:,} of random rows)"

    def _row_lists(self, first_row=0):
        """Rows to label next and labels to check, as pairs of a title and a text."""
        counted = f"counted from {first_row}"
        if len(self.label_next):
            text = ", ".join(map(str, self.label_next + first_row))
            if self.check_rows is not None and len(self.check_rows):
                checks = ", ".join(map(str, self.check_rows + first_row))
                text += f" (random checks: {checks})"
            yield f"Rows to label next ({counted})", text
        if self.suspect_labels is not None and len(self.suspect_labels.rows):
            text = self.suspect_labels.listed(first_row=first_row)
            yield f"Labels to check (rows {counted})", text

    def _repr_html_(self):
        """The report for a notebook: weights as bars, errors with a standard error."""
        largest = max([self.error + self.error_std, *_upper_ends(self.candidates)])
        lines = [
            [
                escape(c.name),
                _bar(c.weight),
                _interval(c.error, c.error_std, largest),
                f"{100 * c.changed:.1f} %",
                f"{c.n_rows:,}",
                f"{c.seconds:.2f}",
            ]
            for c in self.candidates
        ]
        error = self.error if self.n_held_out else np.nan
        total = _interval(error, self.error_std, largest)
        share = f"{100 * self.n_changed / max(self.n_unlabeled, 1):.1f} %"
        lines.append(["<b>average, estimated</b>", "", total, share, "", ""])
        titles = "candidate", "weight", "held-out error", "changed", "rows", "seconds"
        notes = [f"{title}: {text}." for title, text in self._row_lists()]
        notes += [f"{message[:1].upper()}{message[1:]}." for message in self.messages]
        return (
            f"<p>{self._first_line()}</p><table><thead>"
            + _html_row(titles, "th")
            + "</thead><tbody>"
            + "".join(_html_row(line, "td") for line in lines)
            + f"</tbody></table><p>{'<br>'.join(map(escape, notes))}</p>"
        )


def _upper_ends(candidates):
    """Errors plus their standard errors, where they are known."""
    ends = [c.error + c.error_std for c in candidates]
    return [end for end in ends if np.isfinite(end)]


def _html_row(cells, tag):
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def _bar(weight):
    """A weight as a number and a bar."""
    return (
        f'<svg width="90" height="12"><rect width="{60 * weight:.1f}" height="12" '
        f'fill="#4878a8"/></svg> {weight:.2f}'
    )


def _interval(error, std, largest):
    """An error as a number, and as a point with a standard error on either side."""
    if np.isnan(error):
        return "unknown"
    left, middle, right = (
        5 + 120 * np.clip(x / largest, 0, 1) for x in (error - std, error, error + std)
    )
    return (
        f'<svg width="130" height="12"><line x1="{left:.1f}" x2="{right:.1f}" y1="6" '
        f'y2="6" stroke="#999" stroke-width="2"/><circle cx="{middle:.1f}" cy="6" '
        f'r="4" fill="#a84848"/></svg> {_percent(error, std)}'
    )


def write_report(
    fitted, average, error, draw, inference, prior, skipped=(),
    *, is_random, chosen_rows, suggested, suspects,
):  # fmt: skip
    """The report of a fit; `error` with its standard error, `skipped` the names."""
    n_scored = np.where(average.n_scored > 0, average.n_scored, np.nan)
    errors = np.where(average.n_scored > 0, average.errors, np.nan)
    columns = (
        fitted,
        average.weights,
        errors,
        share_std(errors * n_scored, n_scored),
        inference.changed,
    )
    candidates = tuple(
        CandidateReport(part.name, *map(float, numbers), part.n_rows, part.seconds)
        for part, *numbers in zip(*columns, strict=True)
    )
    helps = _find_help(average, prior)
    is_held_out = np.isfinite(average.held_out).all(axis=1)
    n_random = None
    if not is_random.all():
        n_random = len(np.unique(draw.copy_idx[is_held_out & is_random]))
    return FewLabelReport(
        candidates,
        *error,
        n_held_out=len(np.unique(draw.copy_idx[is_held_out])),  # copies of a row as one
        n_random=n_random,
        n_labeled=draw.sample.n_labels,
        n_unlabeled=len(draw.unlabeled_idx),
        n_changed=inference.n_changed,
        label_next=suggested.rows,
        check_rows=suggested.rows[suggested.is_check],
        suspect_labels=suspects,
        chosen_rows=chosen_rows,
        helps=helps,
        messages=(
            *_describe_choice(is_random, is_held_out),
            *_messages(fitted, average, draw, helps, skipped, error),
        ),
    )


def _find_help(average, prior):
    """Whether unlabeled rows seem to help; None if the labels cannot decide it."""
    if len(prior) == 1 or not average.n_held_out:
        return None
    if average.gain > average.gain_std:
        return True
    evidence = average.weights / prior  # the prior is no verdict on unlabeled rows
    return False if evidence[0] > CLEAR_SHARE * evidence.sum() else None


def _describe_choice(is_random, is_held_out):
    """What follows from labels of rows that were chosen, not drawn."""
    if is_random.all():
        return
    n_checks = int((is_random & is_held_out).sum())
    if n_checks:
        labels = (
            "1 label of a random row"
            if n_checks == 1
            else (f"{n_checks} labels of random rows")
        )
        yield (
            f"the error is estimated from {labels} and from the probabilities of the "
            "unlabeled rows, because the other labels were chosen"
        )
    else:
        yield (
            "the estimated error is unreliable: all labels were chosen, so that it "
            "comes from the predicted probabilities alone; label some random rows"
        )


def _messages(fitted, average, draw, helps, skipped, error):
    """What a user should know, most important first."""
    if skipped:
        yield f"interrupted: {', '.join(skipped)} not tried"
    if average.n_held_out and len(draw.single_codes):
        yield _describe_single(draw.sample.classes[draw.single_codes].tolist())
    counts = np.bincount(draw.sample.codes, weights=draw.counts)
    most, constant_error = counts.argmax(), 1.0 - counts.max() / counts.sum()
    is_held_out = np.isfinite(average.held_out).all(axis=1)
    predicted = average.held_out[is_held_out].argmax(axis=1)
    has_mistakes = (predicted != draw.sample.codes[is_held_out]).any()
    if has_mistakes and error[0] + error[1] >= constant_error:
        yield (
            "by the held-out labels, predictions are hardly better than always "
            f"predicting {str(draw.sample.classes[most])!r} (error "
            f"{100 * constant_error:.1f} %); label more rows, and check whether the "
            "features are related to the classes"
        )
    if not len(draw.unlabeled_idx):
        yield (
            f"all {draw.sample.n_labels:,} rows are labeled, so only the supervised "
            "model was fitted; mark unlabeled rows with -1 (NaN in floats, None in "
            "texts, an empty cell in files)"
        )
    elif not average.n_held_out:
        yield (
            "no class has two labels on different rows, so that no label could be held "
            "out and the candidates have their prior weights; label more rows"
        )
    elif helps is False:
        yield (
            "unlabeled rows do not seem to help: the labels-only model predicts "
            "held-out labels best"
        )
    elif helps is None and len(fitted) > 1:
        yield "the held-out labels are too few to show whether unlabeled rows help"
    for part, weight in zip(fitted, average.weights, strict=True):
        if weight > _NOTEWORTHY_WEIGHT:
            yield from (f"{part.name}: {message}" for message in part.messages)


def _describe_single(names):
    """A note on classes whose only label could not be held out."""
    one, shown = len(names) == 1, ", ".join(map(repr, names[:5]))
    more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return (
        f"the error does not count {'class' if one else 'classes'} {shown}{more} "
        f"(1 label{'' if one else ' each'}), so it is probably too low"
    )


def _percent(value, spread):
    if np.isnan(value):
        return "unknown"
    return f"{100 * value:.1f} +- {100 * spread:.1f} %"
