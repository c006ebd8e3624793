"""How far each of several classifiers counts, asked of held-out labels."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import softmax

TRUST = 0.5  # what a nat of loss on held-out labels takes from the log odds
_CAUTION = 1.25  # the machines that did not see a label are not those that predict
_LEAST = 0.02  # probability below which a held-out label costs no more


@dataclass(frozen=True)
class CandidateWeights:
    """Weights of the candidates and the evidence for them.

    Attributes
    ----------
    weights : ndarray of shape (n_candidates,)
        Non-negative, adding up to one.
    losses : ndarray of shape (n_candidates,)
        Mean loss of each on the held-out labels, in nats; that of the others for who
        was asked none.
    errors : ndarray of shape (n_candidates,)
        Share of the held-out labels that each gets wrong, in the same way.
    n_asked : ndarray of shape (n_candidates,)
        Labels that each was asked: the sum of their weights.
    n_tested : float
        The same of those that some candidate was asked.
    held_out : ndarray of shape (n_labels, n_classes)
        Probabilities of the mixture for each label, with weights that do not know how
        this label was predicted; NaN where no candidate was asked.
    gain, gain_std : float
        Mistakes that the mixture saves against the first candidate on labels that both
        were asked, and the standard error of this number.
    """

    weights: np.ndarray
    losses: np.ndarray
    errors: np.ndarray
    n_asked: np.ndarray
    n_tested: float
    held_out: np.ndarray = field(repr=False)
    gain: float
    gain_std: float


def weigh_candidates(held_out, codes, prior, label_weights=None, *, trust=TRUST):
    r"""Posterior weights of classifiers whose probabilities are averaged.

    The weight of candidate c is proportional to
    :math:`\pi_c \exp(-\tau \Lambda_c)` with prior :math:`\pi_c`, trust :math:`\tau`
    and the loss :math:`\Lambda_c = -\sum_i \log \max(p_{ci}, 0.02)`, where
    :math:`p_{ci}` is the probability that c gave to the class of label i without having
    seen it. A trust of 1 would be Bayes' rule if labels were independent and the
    candidates all there is; half of it allows for candidates that were tuned by the
    same labels. If not all were asked the same labels, the sum is the mean times the
    smallest number of labels that any of them was asked.

    Parameters
    ----------
    held_out : ndarray of shape (n_candidates, n_labels, n_classes)
        Probabilities of the classes of each label by a machine that did not see it;
        NaN where there is none.
    codes : ndarray of shape (n_labels,)
        The classes.
    prior : ndarray of shape (n_candidates,)
        Positive weights before any label is asked.
    label_weights : ndarray of shape (n_labels,), optional
        How far each label counts, 1 by default.
    trust : float

    Returns
    -------
    CandidateWeights
    """
    if label_weights is None:
        label_weights = np.ones(len(codes))
    asked = np.isfinite(held_out).all(axis=2)  # (n_candidates, n_labels)
    tested, known = asked.any(axis=0), asked.any(axis=1)
    n_asked = asked @ label_weights
    parts = label_weights / np.maximum(n_asked, 1e-300)[:, None]
    own_losses = parts * _losses(held_out, codes, asked)
    wrong = _wrong(held_out, codes, asked)
    losses = _fill(own_losses.sum(axis=1), known)
    n_counted = float(n_asked[known].min()) if known.any() else 0.0
    log_odds = np.log(prior) - trust * n_counted * losses
    without = log_odds[:, None] + trust * n_counted * own_losses
    shares = softmax(np.where(asked, without, -np.inf)[:, tested], axis=0)
    mixture = np.full(held_out.shape[1:], np.nan)
    votes = np.where(asked[:, tested, None], held_out[:, tested], 0.0)
    mixture[tested] = np.einsum("cl,clk->lk", shares, votes)
    saved = wrong[0] - _wrong(mixture[None], codes, tested[None])[0]
    saved = np.where(asked[0], saved, 0.0)
    return CandidateWeights(
        softmax(log_odds),
        losses,
        _fill((parts * wrong).sum(axis=1), known),
        n_asked,
        float(label_weights[tested].sum()),
        mixture,
        float(label_weights @ saved),
        float(np.sqrt(label_weights @ saved**2)),  # copies of a label are one trial
    )


def _fill(values, known):
    """The mean of the others for whom nothing is known."""
    if not known.any():
        return np.zeros_like(values)
    return np.where(known, values, values[known].mean())


def _losses(held_out, codes, asked):
    """Minus the log probability of each label, (n_candidates, n_labels)."""
    own = np.where(asked, held_out[:, np.arange(len(codes)), codes], 1.0)
    return -np.log(np.clip(own, _LEAST, 1.0))


def _wrong(held_out, codes, asked):
    """1 where a candidate misses a label, (n_candidates, n_labels), 0 where not asked.

    Of several classes that are most probable together each is right in its share.
    """
    best = np.where(asked[:, :, None], held_out, 0.0)
    is_best = best == best.max(axis=2, keepdims=True)
    right = is_best[:, np.arange(len(codes)), codes] / is_best.sum(axis=2)
    return np.where(asked, 1.0 - right, 0.0)


def share_std(n_wrong, n_asked):
    """Standard error of a share, by Agresti and Coull: two mistakes and hits more."""
    drawn = (n_wrong + 2.0) / (n_asked + 4.0)
    return np.sqrt(drawn * (1.0 - drawn) / (n_asked + 4.0))


def estimate_error(held_out, codes, label_weights=None):
    """Share of new rows that are misclassified, and its standard error.

    Held-out labels are trials of one probability. Two more, of which as many are wrong
    as half of chance would have it, keep the estimate from 0 and 1. The standard error
    is that of `share_std` times 1.25, since the machines that did not see a label are
    not those that predict.

    Parameters
    ----------
    held_out : ndarray of shape (n_labels, n_classes)
        Probabilities without the own label; rows of NaN are not counted.
    codes : ndarray of shape (n_labels,)
    label_weights : ndarray of shape (n_labels,), optional

    Returns
    -------
    error, standard_error : float
    """
    tested = np.isfinite(held_out).all(axis=1)
    weights = np.ones(len(codes)) if label_weights is None else label_weights
    n_wrong = float(weights @ _wrong(held_out[None], codes, tested[None])[0])
    n_tested = float(weights[tested].sum())
    half_chance = 0.5 * (1.0 - 1.0 / held_out.shape[1])
    error = (n_wrong + 2.0 * half_chance) / (n_tested + 2.0)
    return error, float(_CAUTION * share_std(n_wrong, n_tested))
