"""What was tried, what counts how far, and what it means."""

from dataclasses import dataclass, field

import numpy as np

_NOTEWORTHY = 0.05  # weight of a candidate whose warnings are passed on


@dataclass(frozen=True)
class CandidateReport:
    """A candidate's line.

    Attributes
    ----------
    name : str
    weight : float
        How far it counts.
    error, error_std : float
        Share of held-out labels that it gets wrong, and the standard error; NaN if no
        label could be held out.
    changed : float
        Share of the unlabeled rows that it puts into another class than the supervised
        machine.
    n_rows : int
        Rows that it learned from.
    seconds : float
    """

    name: str
    weight: float
    error: float
    error_std: float
    changed: float
    n_rows: int
    seconds: float


@dataclass(frozen=True)
class FewLabelReport:
    """How `FewLabelClassifier` came to its predictions; print it.

    Attributes
    ----------
    candidates : tuple of CandidateReport
        The supervised machine first.
    error, error_std : float
        Estimated error of the predictions for new rows, and its standard error.
    n_tested : int
        Labels that were held out for it.
    n_labeled, n_unlabeled : int
    n_changed : int
        Unlabeled rows that are in another class than the supervised machine says.
    label_next : ndarray of int
        Rows whose label would tell the most, the best first.
    helps : bool
        Whether unlabeled rows seem to help.
    messages : tuple of str
        What a user should know.
    """

    candidates: tuple
    error: float
    error_std: float
    n_tested: int
    n_labeled: int
    n_unlabeled: int
    n_changed: int
    label_next: np.ndarray = field(repr=False)
    helps: bool
    messages: tuple

    def frame(self):
        """The candidates as a :class:`pandas.DataFrame`, indexed by name."""
        import pandas as pd

        columns = CandidateReport.__dataclass_fields__
        rows = [[getattr(c, name) for name in columns] for c in self.candidates]
        return pd.DataFrame(rows, columns=list(columns)).set_index("name")

    def __str__(self):
        width = max(len(c.name) for c in self.candidates)
        lines = [
            f"{self.n_labeled:,} labels, {self.n_unlabeled:,} unlabeled rows, "
            f"{self.n_tested:,} labels held out in turns",
            "",
            f"{'candidate':{width}}  weight  held-out error  changed   rows  seconds",
        ]
        for c in self.candidates:
            error = "not known" if np.isnan(c.error) else _percent(c.error, c.error_std)
            lines.append(
                f"{c.name:{width}}  {c.weight:6.2f}  {error:>14}  "
                f"{100 * c.changed:5.1f} %  {c.n_rows:5,}  {c.seconds:7.2f}"
            )
        share = 100 * self.n_changed / max(self.n_unlabeled, 1)
        lines += [
            "",
            f"Estimated error of the mixture: {_percent(self.error, self.error_std)}",
            f"Unlabeled rows in another class than the labels alone say: "
            f"{self.n_changed:,} ({share:.1f} %)",
        ]
        if len(self.label_next):
            rows = ", ".join(str(row) for row in self.label_next)
            lines.append(f"Rows to label next: {rows}")
        lines += [f"Note: {message}" for message in self.messages]
        return "\n".join(lines)


def write_report(fitted, evidence, error, own, decided, label_next):
    """The report of a fit.

    Parameters
    ----------
    fitted : list of Fitted
        The supervised machine first.
    evidence : CandidateWeights
    error : pair of float
        Estimated error of the mixture, and its standard error.
    own : ndarray of shape (n_candidates, n_unlabeled)
        Classes of the unlabeled rows by each candidate.
    decided : ndarray of shape (n_unlabeled,)
        Those by the mixture.
    label_next : ndarray of int

    Returns
    -------
    FewLabelReport
    """
    n_tested = evidence.n_tested
    candidates = []
    for part, weight, n_wrong, codes in zip(
        fitted, evidence.weights, evidence.n_wrong, own, strict=True
    ):
        share = n_wrong / n_tested if n_tested else np.nan
        drawn = (n_wrong + 2.0) / (n_tested + 4.0)  # Agresti and Coull
        spread = np.sqrt(drawn * (1 - drawn) / (n_tested + 4.0))
        changed = float((codes != own[0]).mean()) if len(decided) else 0.0
        candidates.append(
            CandidateReport(
                part.name,
                float(weight),
                float(share),
                float(spread) if n_tested else np.nan,
                changed,
                part.n_rows,
                part.seconds,
            )
        )
    helps = len(fitted) > 1 and evidence.n_wrong[1:].min() < evidence.n_wrong[0]
    return FewLabelReport(
        tuple(candidates),
        *error,
        n_tested=round(n_tested),
        n_labeled=len(evidence.held_out),
        n_unlabeled=len(decided),
        n_changed=int((decided != own[0]).sum()),
        label_next=label_next,
        helps=bool(helps),
        messages=tuple(_messages(fitted, evidence, helps)),
    )


def _messages(fitted, evidence, helps):
    """What a user should know, most important first."""
    n_labels = len(evidence.held_out)
    if len(fitted) == 1:
        yield "all rows are labeled, so that there was nothing else to try"
    elif not evidence.n_tested:
        yield (
            "no class has two labels, so that none could be held out and the prior "
            "alone decides; label more rows"
        )
    elif not helps:
        yield (
            "unlabeled rows do not seem to help: no candidate predicts held-out labels "
            "better than the labels alone do"
        )
    n_alone = n_labels - round(evidence.n_tested)
    if 0 < n_alone < n_labels:
        yield f"{n_alone} labels are the only ones of their class and were not held out"
    for part, weight in zip(fitted, evidence.weights, strict=True):
        if weight > _NOTEWORTHY:
            yield from (f"{part.name}: {message}" for message in part.messages)


def _percent(value, spread):
    return f"{100 * value:.1f} +- {100 * spread:.1f} %"
