r"""One rule for averaging models by held-out labels.

A model has a prior weight, shared first by families and then by the members of a
family, and predicts labels that were held out from it. Its weight is proportional to

.. math:: \pi_m \exp(-\tau \Lambda_m), \qquad
          \Lambda_m = -\sum_i c_i \log \max(p_{mi}, p_{\min}) ,

where :math:`p_{mi}` is the probability that it gave to held-out label i and
:math:`c_i` is how many labels that one counts for. :math:`\tau` is 1 by Bayes' rule
where the average runs over all that would be tuned (`defaults.UNTUNED_TRUST`); a
smaller value allows for models that were tuned by the same labels (`defaults.TRUST`).

Models that predict unlabeled rows may also be judged by how many of them they put into
each class: see `ClassShares`.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from widemargin.calibration import Calibration, calibrate_models, neg_log_prior
from widemargin.defaults import (
    ERROR_CAUTION,
    EXPECTED_LABELS,
    LEAST_PROBABILITY,
    LIKELY_RATIO,
    SHARE_FLOOR,
    TRUST,
)
from widemargin.labels import both_columns
from widemargin.stored import Stored, is_finite, require


@dataclass(frozen=True)
class ClassShares:
    r"""Class shares of unlabeled rows as evidence for models.

    The shares :math:`s_{mk}` that model m predicts count as `n_labels` more held-out
    labels, which are spread over the classes by the shares :math:`\pi_k` that are
    expected:

    .. math:: \Lambda_m - n \sum_k \pi_k \log (s_{mk} + 0.01) .

    A model that leaves a class nearly without rows thus loses weight. Only models that
    the labels leave likely predict rows, which takes time; the others are given the
    least evidence of these.
    """

    expected: np.ndarray  # (n_classes,)
    is_likely: np.ndarray  # mask of the models that predict, see `find_likely`
    predicted: np.ndarray  # their shares, (n_likely, n_classes)
    n_labels: float

    def evidence(self):
        """Log evidence of each model."""
        shares = self.predicted + SHARE_FLOOR
        found = np.log(shares / shares.sum(axis=1, keepdims=True)) @ self.expected
        evidence = np.full(len(self.is_likely), found.min())
        evidence[self.is_likely] = found
        return self.n_labels * evidence


def find_likely(held_out, codes, counts):
    """Models that held-out labels leave likely, a mask; see `average_models`."""
    found = _HeldOutLosses.of(held_out, codes, counts)
    losses = found.n_counted * found.losses
    return losses <= losses.min() - np.log(LIKELY_RATIO)


def predicted_shares(scores, row_weights):
    """Class shares of rows, (n_models, n_classes), by one-vs-rest scores of models.

    Scores are (n_models, n_rows, n_columns). Classes of equal scores share a row.
    """
    scores = both_columns(scores)
    scores = np.ascontiguousarray(np.moveaxis(scores, 2, 0))  # as in `fit_slopes`
    is_best = scores == scores.max(axis=0)
    shares = is_best / is_best.sum(axis=0)
    return (shares @ (row_weights / row_weights.sum())).T


@dataclass(frozen=True)
class Average(Stored):
    """Weights of models and the evidence for them.

    Attributes
    ----------
    weights : ndarray of shape (n_models,)
        Non-negative, adding up to one.
    losses, errors : ndarrays of shape (n_models,)
        Mean loss on held-out labels, in nats, and share of wrong ones; the mean
        over the other models for one that was scored on no label.
    n_scored : ndarray of shape (n_models,)
        Held-out labels that each model was scored on: the sum of their counts.
    n_held_out : float
        Held-out labels that some model was scored on.
    gain, gain_std : float
        Mistakes that the average saves against the first model on labels that both
        were scored on, and the standard error of this number.
    coef : ndarray of shape (n_models,)
        For models that give scores: what their functions are multiplied by in the
        average, adding up to one.
    held_out : ndarray of shape (n_labels, n_classes)
        Probabilities of the average for each label, by weights that do not depend on
        how that label was predicted; NaN where nothing was held out.
    """

    weights: np.ndarray
    losses: np.ndarray
    errors: np.ndarray
    n_scored: np.ndarray
    n_held_out: float
    gain: float
    gain_std: float
    coef: np.ndarray
    held_out: np.ndarray | None = field(repr=False, metadata={"kept": False})

    def combine(self, parts):
        """The average of the models' coordinates, or of the first few of them."""
        coef = self.coef[: len(parts)]
        coef = coef / coef.sum()
        return sum(c * part for c, part in zip(coef, parts, strict=True))

    def check(self, n_features):
        """Raise ValueError unless the weights are those of an average."""
        weights = self.weights
        fits = is_finite(weights, 1) and bool((weights >= 0).all())
        fits = fits and abs(float(weights.sum()) - 1.0) < 1e-6
        require(fits, self, "weights")
        for name in ("losses", "errors", "n_scored", "coef"):
            values = getattr(self, name)
            fits = is_finite(values, 1) and values.shape == weights.shape
            require(fits, self, name)


def family_prior(families, within=None):
    """Prior weights shared equally by families, then by members as in `within`."""
    _, family = np.unique(np.asarray(families), return_inverse=True)
    within = np.ones(len(family)) if within is None else np.asarray(within, float)
    # A twin of a model takes its share from its own family only.
    total = np.bincount(family, weights=within)
    return within / total[family] / len(total)


def label_counts(weights):
    r"""For how many labels each one counts as evidence.

    In proportion to the weights :math:`w`, whatever their scale, and together as many
    as :math:`(\sum_i w_i)^2 / \sum_i w_i^2`, Kish's effective size of a sample: one
    each if all weigh the same, and two in all if two outweigh the rest by far.
    """
    shares = weights / weights.max()  # whose squares neither overflow nor vanish
    return shares * (shares.sum() / (shares @ shares))


def trial_counts(weights, copy_idx):
    """For how many labels each one counts where mistakes on labels are counted.

    A label and its copies, which share a number in `copy_idx`, are one trial, however
    large their weights are, and less than one if these sum up to less. `label_counts`
    would let large weights change how much the other labels count: one label of weight
    nine beside nine of weight one would be 1.8 trials, and each of the others 0.2.
    """
    together = np.bincount(copy_idx, weights=weights)[copy_idx]
    return weights / np.maximum(together, 1.0)


def posterior_weights(losses, prior, *, trust=TRUST):
    """Weights proportional to ``prior * exp(-trust * loss)``, for summed losses."""
    return softmax(np.log(prior) - trust * np.asarray(losses, dtype=np.float64))


def average_scores(held_out, codes, prior, weights=None, *, trust=TRUST):
    """Average models that give one-vs-rest scores, (n_models, n_labels, n_columns).

    The average is that of the calibrated scores: its function is the sum of the models'
    functions times `coef`, on the scale of their margins, and its own calibration is
    the second result. `weights` are those of the labels, see `label_counts`; the other
    arguments are those of `average_models`.
    """
    counts = np.ones(len(codes)) if weights is None else label_counts(weights)
    calibrated = calibrate_models(held_out, codes, counts)
    return average_calibrated(*calibrated, codes, prior, counts, trust=trust)


def average_calibrated(
    slopes, probabilities, codes, prior, counts, *, trust=TRUST, shares=None
):
    """As `average_scores`, of models whose scores were calibrated by their slopes.

    The slope of a model is fitted to the same labels that weigh it. With few labels a
    model that gets them right by chance would be given a slope that makes it certain;
    therefore an unusual slope lowers its model's weight by the slope's prior density.
    (Without this the error of `LaplacianSVC` on digits with 20 labels rises from 17.2
    to 18.0 %, and on the mean of 14 sets from 20.27 to 20.34 %.)
    """
    prior = prior * np.exp(-trust * neg_log_prior(slopes))
    average = average_models(
        probabilities, codes, prior, counts, trust=trust, slopes=slopes, shares=shares
    )
    return average, Calibration(float(average.weights @ slopes))


def average_models(
    held_out, codes, prior, counts=None, *, trust=TRUST, slopes=None, shares=None
):
    """Average models that give probabilities, (n_models, n_labels, n_classes).

    Each is that of a held-out label by a model fitted without it; NaN where there is
    none. If not all models were scored on the same labels, the summed loss is the mean
    times the smallest number of labels that any of them was scored on.

    `prior` has positive weights before any label is used, see `family_prior`, and
    `counts` for how many labels each one counts, see `label_counts` and `trial_counts`;
    one each by default. `slopes` are those of models that are averaged by their
    calibrated scores, and `shares` the `ClassShares` that they predict, if these are to
    count as evidence.
    """
    counts = np.ones(len(codes)) if counts is None else counts
    found = _HeldOutLosses.of(held_out, codes, counts)
    scored, n_counted = found.scored, found.n_counted
    is_held_out, wrong = scored.any(axis=0), _wrong(held_out, codes, scored)
    log_odds = np.log(prior) - trust * n_counted * found.losses
    if shares is not None:
        log_odds += trust * shares.evidence()
    # Log odds of the models if label i had not been scored, (n_models, n_labels).
    without = log_odds[:, None] + trust * n_counted * found.of_labels
    # A label's mixture is that of the models that were scored on it.
    parts_of = softmax(np.where(scored, without, -np.inf)[:, is_held_out], axis=0)
    mixture = np.full(held_out.shape[1:], np.nan)
    mixture[is_held_out] = _mix(
        held_out[:, is_held_out], parts_of, scored[:, is_held_out], slopes
    )
    saved = wrong[0] - _wrong(mixture[None], codes, is_held_out[None])[0]
    saved = np.where(scored[0], saved, 0.0)
    weights = softmax(log_odds)
    # sum_m w_m s_m f_m is the mean slope times sum_m coef_m f_m.
    coef = weights if slopes is None else weights * slopes / (weights @ slopes)
    return Average(
        weights,
        found.losses,
        _fill((found.parts * wrong).sum(axis=1), scored.any(axis=1)),
        found.n_scored,
        float(counts[is_held_out].sum()),
        float(counts @ saved),
        float(np.sqrt(counts @ saved**2)),  # copies of a label are one trial
        coef,
        mixture,
    )


class _HeldOutLosses(NamedTuple):
    """Losses of models on the labels that were held out from them."""

    scored: np.ndarray  # which labels each model was scored on, (n_models, n_labels)
    n_scored: np.ndarray  # the sum of their counts
    parts: np.ndarray  # what each label contributes to a mean over these
    of_labels: np.ndarray  # loss of each label in that mean
    losses: np.ndarray  # the mean; that of other models where nothing is known
    n_counted: float  # the smallest number of labels that a model was scored on

    @classmethod
    def of(cls, held_out, codes, counts):
        """The losses of probabilities, (n_models, n_labels, n_classes)."""
        scored = np.isfinite(held_out).all(axis=2)
        known, n_scored = scored.any(axis=1), scored @ counts
        parts = counts / np.maximum(n_scored, 1e-300)[:, None]
        of_labels = parts * _losses(held_out, codes, scored)
        losses = _fill(of_labels.sum(axis=1), known)
        n_counted = float(n_scored[known].min()) if known.any() else 0.0
        return cls(scored, n_scored, parts, of_labels, losses, n_counted)


def _mix(held_out, shares, scored, slopes):
    """Probabilities of the average, (n_labels, n_classes)."""
    votes = np.where(scored[:, :, None], held_out, 0.0)
    if slopes is None:
        return np.einsum("ml,mlk->lk", shares, votes)
    # The log of a softmax is its score up to a constant of the row, which a softmax of
    # the sum drops: averaged scores are averaged logarithms.
    logs = np.log(np.where(scored[:, :, None], np.maximum(held_out, 1e-300), 1.0))
    return softmax(np.einsum("ml,mlk->lk", shares, logs), axis=1)


def _fill(values, known):
    """Values, and the mean of the known ones where nothing is known."""
    if not known.any():
        return np.zeros_like(values)
    return np.where(known, values, values[known].mean())


def _losses(held_out, codes, scored):
    """Minus the log probability of each label, (n_models, n_labels)."""
    own = np.where(scored, held_out[:, np.arange(len(codes)), codes], 1.0)
    return -np.log(np.clip(own, LEAST_PROBABILITY, 1.0))


def _wrong(held_out, codes, scored):
    """1 where a model misses a label, (n_models, n_labels), 0 where not scored.

    If several classes are equally probable, each of them counts as right in part.
    """
    best = np.where(scored[:, :, None], held_out, 0.0)
    is_best = best == best.max(axis=2, keepdims=True)
    right = is_best[:, np.arange(len(codes)), codes] / is_best.sum(axis=2)
    return np.where(scored, 1.0 - right, 0.0)


def share_std(n_wrong, n_scored):
    """Standard error of a share, by Agresti and Coull: two mistakes and hits more."""
    drawn = (n_wrong + 2.0) / (n_scored + 4.0)
    return np.sqrt(drawn * (1.0 - drawn) / (n_scored + 4.0))


def estimate_error(held_out, codes, counts=None, *, is_random=None, expected=None):
    """Share of new rows that are misclassified, and its standard error.

    Held-out labels are trials of one probability; rows of NaN among their
    probabilities, (n_labels, n_classes), are not counted. Two more, wrong half as often
    as by chance, keep the estimate from 0 and 1. The standard error is that of
    `share_std` times 1.25, because the models fitted without a label are not those that
    predict.

    Labels of rows that were chosen, because they are hard for example, are no such
    trials. If only some labels `is_random`, a mask, then these are counted, and with
    them `EXPECTED_LABELS` more that are wrong at the rate `expected`, which the
    predicted probabilities imply.
    """
    counts = np.ones(len(codes)) if counts is None else counts
    is_held_out = np.isfinite(held_out).all(axis=1)
    if is_random is not None and not is_random.all():
        is_held_out &= is_random
        n_wrong = float(counts @ _wrong(held_out[None], codes, is_held_out[None])[0])
        n_wrong += EXPECTED_LABELS * expected
        n_trials = float(counts[is_held_out].sum()) + EXPECTED_LABELS
        return n_wrong / n_trials, float(ERROR_CAUTION * share_std(n_wrong, n_trials))
    n_wrong = float(counts @ _wrong(held_out[None], codes, is_held_out[None])[0])
    n_held_out = float(counts[is_held_out].sum())
    half_chance = 0.5 * (1.0 - 1.0 / held_out.shape[1])
    error = (n_wrong + 2.0 * half_chance) / (n_held_out + 2.0)
    return error, float(ERROR_CAUTION * share_std(n_wrong, n_held_out))
