"""Explanations of predictions, and suspect labels, for people who label rows."""

from dataclasses import dataclass

import numpy as np

from widemargin.labels import decide, margins
from widemargin.stored import Stored, is_finite, require

_MAX_SHOWN = 5  # rows whose remainder an explanation prints


@dataclass(frozen=True)
class Explanation:
    """The labels that contribute most to the predictions of some rows.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n)
        Positions of labeled training rows, those of the largest absolute amounts first.
    labels : ndarray of shape (n_rows, n)
        Their labels.
    amounts : ndarray of shape (n_rows, n)
        Contribution of each label to the margin, positive if it supports the predicted
        class. Labels of neither class contribute nothing.
    margins : ndarray of shape (n_rows,)
        Half of the difference between the scores of both classes: the sum of the
        amounts of all labels.
    predicted, others : ndarray of shape (n_rows,)
        The predicted class, and the best one of the others.
    """

    rows: np.ndarray
    labels: np.ndarray
    amounts: np.ndarray
    margins: np.ndarray
    predicted: np.ndarray
    others: np.ndarray

    def frame(self):
        """One line for each row and label as a :class:`pandas.DataFrame`."""
        import pandas as pd

        n_rows, n = self.rows.shape
        columns = {
            "row": np.repeat(np.arange(n_rows), n),
            "predicted": np.repeat(self.predicted, n),
            "other": np.repeat(self.others, n),
            "margin": np.repeat(self.margins, n),
            "labeled_row": self.rows.ravel(),
            "label": self.labels.ravel(),
            "amount": self.amounts.ravel(),
        }
        return pd.DataFrame(columns)

    def __str__(self):
        lines = self.frame().to_string(index=False, float_format="{:.3f}".format)
        rest = (self.margins - self.amounts.sum(axis=1)).round(3) + 0.0
        shown = ", ".join(f"{value:.3f}" for value in rest[:_MAX_SHOWN])
        more = ", ..." if len(rest) > _MAX_SHOWN else ""
        return (
            f"{lines}\n"
            "margin: half of the difference between the scores of predicted and other\n"
            "amount: what the label of the labeled row adds to the margin; the labels "
            f"that are not listed add {shown}{more}"
        )


@dataclass(frozen=True)
class Suspects(Stored):
    """Given labels that models without them contradict, the least probable first."""

    rows: np.ndarray  # positions in X
    probabilities: np.ndarray  # of the given labels
    suggested: np.ndarray  # the most probable classes

    def check(self, n_features):
        """Raise ValueError unless there is a row and a class for each probability."""
        shape, is_known = self.probabilities.shape, is_finite(self.probabilities, 1)
        require(is_known, self, "probabilities")
        fits = self.rows.shape == shape and self.rows.dtype.kind == "i"
        require(fits, self, "rows")
        require(self.suggested.shape == shape, self, "suggested")

    def listed(self, n=5, first_row=0):
        """The first few as a text, each with the more probable class."""
        pairs = zip(self.rows[:n] + first_row, self.suggested[:n], strict=True)
        text = ", ".join(f"row {row} (predicted: {name!s})" for row, name in pairs)
        n_more = len(self.rows) - n
        return f"{text} and {n_more} more" if n_more > 0 else text

    def frame(self):
        """One line for each label as a :class:`pandas.DataFrame`."""
        import pandas as pd

        return pd.DataFrame(vars(self))

    def __str__(self):
        if not len(self.rows):
            return "no rows"
        return self.frame().to_string(index=False, float_format="{:.3f}".format)


def explain_rows(weights, sample, n, predicted=None):
    """The explanation from what multiplies each label's target in the scores of rows.

    `weights` is (n_rows, n_labels); the labels are those of the sample. Codes of the
    classes to explain are those of the largest scores, if they are not given.
    """
    scores, every = weights @ sample.signs, np.arange(len(weights))
    predicted = decide(scores) if predicted is None else predicted
    if scores.shape[1] == 1:
        others = 1 - predicted
    else:
        rest = scores.copy()
        rest[every, predicted] = -np.inf
        others = rest.argmax(axis=1)
    is_own = sample.codes == predicted[:, None]
    # Targets are +1 for the own class and -1 for the others: half of the difference of
    # two scores is the sum over labels of the first class less that over the second.
    amounts = weights * (is_own - 1.0 * (sample.codes == others[:, None]))
    order = np.argsort(-np.abs(amounts), axis=1, kind="stable")[:, :n]
    given, labels = np.flatnonzero(sample.given_codes >= 0), sample.given_label_idx
    first = np.empty(sample.n_labels, dtype=np.intp)
    first[labels[labels >= 0][::-1]] = given[labels >= 0][::-1]  # of several copies
    return Explanation(
        first[order],
        sample.classes[sample.codes[order]],
        np.take_along_axis(amounts, order, axis=1),
        margins(scores, predicted),
        sample.classes[predicted],
        sample.classes[others],
    )
