"""Gaussian-process regression to few labels, for many priors, in closed form."""

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import lapack
from sklearn import config_context

from widemargin.averaging import (
    Average,
    ClassShares,
    average_calibrated,
    family_prior,
    find_likely,
    label_counts,
    predicted_shares,
)
from widemargin.calibration import Calibration, calibrate_models
from widemargin.defaults import (
    SCARCITY_PRIOR,
    SHARE_LABELS,
    SHARE_ROWS,
    SPECTRAL_GRID,
    SPECTRAL_LABELS,
    UNTUNED_TRUST,
)
from widemargin.linalg.products import suited_threads
from widemargin.linalg.random import as_generator
from widemargin.sample import Sample
from widemargin.spaces import FunctionSum
from widemargin.spaces.bases import label_grams

_NEGLIGIBLE = 1e-6  # prior weight, over that of others of the family
_LEAST_WEIGHT = 1e-4  # in an average: a smaller one would change hardly any digit


@dataclass(frozen=True)
class Regressions:
    """Fits of several noise variances and constants to the labels of one covariance."""

    coef: np.ndarray = field(repr=False)  # (n_models, n_labels, n_columns)
    constants: np.ndarray  # prior variance of the constant of each model
    # Scores of each label by the model that is fitted without it
    held_out: np.ndarray = field(repr=False)


def fit_labels(gram, targets, weights, noises, constants):
    r"""Fit a covariance between labels with every noise variance and every constant.

    The scores are :math:`f = (K + c 1 1^\top) a` with
    :math:`(K + c 1 1^\top + \sigma^2 W^{-1}) a = y`. Without label i the score there
    would be :math:`y_i - a_i / G_{ii}`, with G the inverse of that matrix. Weights have
    the mean one. O(n_labels^3) for each noise; a constant is an update of rank one.
    """
    coef, held_out = [], []
    sides = np.column_stack([targets, np.ones(len(targets))])
    constants = np.asarray(constants, dtype=np.float64)
    for noise in noises:
        root = _inverse_root(gram, noise / weights)
        solved = root.T @ (root @ sides)
        fitted, sums = solved[:, :-1], solved[:, -1:]
        # Sherman-Morrison: (M + c 1 1')^-1 = M^-1 - share M^-1 1 1'M^-1.
        shares = (constants / (1.0 + constants * sums.sum()))[:, None, None]
        a = fitted - shares * (sums * fitted.sum(axis=0))
        own = np.einsum("ij,ij->j", root, root)[:, None] - shares * sums**2
        coef.append(a)
        held_out.append(targets - a / np.maximum(own, 1e-300))
    repeated = np.tile(constants, len(noises))
    return Regressions(np.concatenate(coef), repeated, np.concatenate(held_out))


def _inverse_root(matrix, noise):
    """R with R'R the inverse of a symmetric matrix plus a diagonal one."""
    matrix = matrix.copy()
    matrix.ravel()[:: len(matrix) + 1] += noise
    factor, failed = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)
    if failed:
        raise ValueError(
            "a covariance between the labels is not positive definite; check a kernel "
            "function of your own, and subtract column means that are very large."
        )
    return lapack.dtrtri(factor, lower=1, overwrite_c=1)[0]


def fit_covariances(
    covariances, bases, sample, *,
    grid=SPECTRAL_GRID, scarcity=SCARCITY_PRIOR, trust=UNTUNED_TRUST, row_idx=(),
    share_labels=SHARE_LABELS,
):  # fmt: skip
    """Fit all covariances to the labels: names, average, calibration, coordinates.

    The coordinates of the average are those of each basis by name, and the constant.
    The class shares that models predict for some unlabeled rows, `row_idx`, are
    evidence as well and count as `share_labels`, or less, see `Sample.evenness`.
    """
    idx, weights = sample.label_idx, sample.label_weights
    options = sample.signs, weights / weights.mean(), grid.noises, grid.constants
    grams = label_grams(covariances, bases, idx)
    fits = [fit_labels(gram, *options) for gram in grams]
    held_out = sample.mask_single(np.concatenate([fit.held_out for fit in fits]))
    families = np.repeat([c.family for c in covariances], len(fits[0].coef))
    within = np.ones(len(families))
    if sample.is_single:
        needy = np.repeat([c.needs_labels for c in covariances], len(fits[0].coef))
        within[needy] = _NEGLIGIBLE
    prior = family_prior(families, within)
    prior[families == "graph"] *= 1.0 + scarcity * sample.scarcity
    codes, counts = sample.codes, label_counts(weights)
    slopes, probabilities = calibrate_models(held_out, codes, counts)
    n_labels, shares = share_labels * sample.evenness, None
    if n_labels > 0 and len(row_idx):
        used = find_likely(probabilities, codes, counts)
        parts = covariances, bases, idx, fits, used, row_idx
        predicted = predict_shares(*parts, sample.row_weights[row_idx])
        shares = ClassShares(sample.class_shares(), used, predicted, n_labels)
    average, calibration = average_calibrated(
        slopes, probabilities, codes, prior, counts, trust=trust, shares=shares
    )
    found, constant = combine_fits(covariances, bases, idx, fits, average)
    kinds = [
        f"noise {n:g}, constant {c:g}" for n in grid.noises for c in grid.constants
    ]
    names = [f"{c.name}, {kind}" for c in covariances for kind in kinds]
    return names, average, calibration, found, constant


def predict_shares(covariances, bases, label_idx, fits, used, row_idx, row_weights):
    """Class shares of some rows by the fits `used`, a mask, (n_used, n_classes)."""
    used, shares = used.reshape(len(covariances), -1), []
    places = np.flatnonzero(used.any(axis=1))
    listed = [covariances[place] for place in places]
    grams = label_grams(listed, bases, label_idx, row_idx)
    for place, gram in zip(places, grams, strict=True):
        fit, own = fits[place], used[place]
        sums = fit.coef[own].sum(axis=1, keepdims=True)
        scores = gram @ fit.coef[own] + fit.constants[own, None, None] * sums
        shares.append(predicted_shares(scores, row_weights))
    return np.concatenate(shares)


def combine_fits(covariances, bases, label_idx, fits, average):
    """Coordinates of the average, those of each basis by name, and the constant.

    Fits of covariances without a share in the average, see `used_shares`, are not read.
    """
    found, constant = {}, 0.0
    shares = used_shares(average, len(covariances))
    for covariance, fit, own in zip(covariances, fits, shares, strict=True):
        if not own.any():
            continue
        together = np.tensordot(own, fit.coef, axes=1)
        constant += np.tensordot(own * fit.constants, fit.coef.sum(axis=1), axes=1)
        for share, name, variances in covariance.terms:
            c = bases[name].coordinates(label_idx, variances, share * together)
            found[name] = found.get(name, 0.0) + c
    return found, constant


def used_shares(average, n_covariances):
    """What each fit of each covariance is multiplied by; 0 for negligible weights."""
    shares = np.where(average.weights > _LEAST_WEIGHT, average.coef, 0.0)
    return (shares / shares.sum()).reshape(n_covariances, -1)


def label_functions(covariances, bases, sample, average):
    """As `fit_covariances` for the functions that each label's target is multiplied by.

    The scores of the average are linear in the targets: they are these functions, one
    column for each label, times the targets.
    """
    idx, weights, grid = sample.label_idx, sample.label_weights, SPECTRAL_GRID
    options = weights / weights.mean(), grid.noises, grid.constants
    used = used_shares(average, len(covariances)).any(axis=1)
    targets = np.eye(len(idx))
    listed = [covariances[i] for i in np.flatnonzero(used)]
    grams = label_grams(listed, bases, idx)
    fits = (fit_labels(next(grams), targets, *options) if u else None for u in used)
    return combine_fits(covariances, bases, idx, fits, average)


@dataclass(frozen=True)
class SpectralFit:
    """The average of closed-form models of some labels, and its scores of all rows."""

    labeled: Sample  # with the labels that were used, thinned if there were many
    names: list
    average: Average
    calibration: Calibration
    function: FunctionSum
    scores: np.ndarray

    @property
    def probabilities(self):
        """Class probabilities of all rows."""
        return self.calibration.probabilities(self.scores)


@dataclass(frozen=True)
class SpectralGeometry:
    """What a fit computes from the rows alone, whatever their labels."""

    sample: Sample  # with the labels of the last fit or update
    bases: dict
    covariances: tuple
    seed: int  # by which labels are drawn if there are too many, and folds

    @property
    def components(self):
        """The principal components of the kernel; None of fewer than three rows."""
        return self.bases.get("kernel components", self.bases.get("linear"))

    @property
    def spectral(self):
        """The covariances over eigenvectors, which give features of the rows."""
        return [c for c in self.covariances if c.terms[0][2] is not None]

    @property
    def is_supervised(self):
        """Whether all models use the labels alone."""
        return all(covariance.family == "labels" for covariance in self.covariances)

    def thin_labels(self, sample):
        """The sample with as many labels as can be fitted."""
        return sample.thin_labels(SPECTRAL_LABELS, as_generator(self.seed))

    def draw_unlabeled(self, sample):
        """Unlabeled rows whose predicted class shares are evidence for models."""
        if self.is_supervised:
            return np.zeros(0, dtype=np.intp)
        n_drawn = min(SHARE_ROWS, sample.n_rows)
        rng = as_generator(self.seed)
        drawn = np.sort(rng.choice(sample.n_rows, n_drawn, replace=False))
        return drawn[~sample.labeled[drawn]]  # the same rows after each new label

    def learn(self, sample):
        """Fit all closed-form models to the labels of a sample of the same rows."""
        labeled, row_idx = self.thin_labels(sample), self.draw_unlabeled(sample)
        # The rows were checked by `fit`; a look at all of them takes milliseconds.
        with suited_threads(0), config_context(assume_finite=True):
            names, average, calibration, found, constant = fit_covariances(
                self.covariances, self.bases, labeled, row_idx=row_idx
            )
            function, scores = self.add_up(labeled, found, constant, labeled.signs)
        return SpectralFit(labeled, names, average, calibration, function, scores)

    def add_up(self, labeled, found, constant, targets):
        """The function of coordinates in the bases, and its scores of all rows.

        A single label of each class does not tell the constant: with it the scores of
        the rows have the mean of the targets, as those of equally large classes.
        """
        idx, bases = labeled.label_idx, self.bases
        scores = {name: bases[name].scores(idx, c) for name, c in found.items()}
        parts = [
            bases[name].to_function(idx, c, scores[name]) for name, c in found.items()
        ]
        total = sum(scores.values())
        if labeled.is_single and not self.is_supervised:
            mean = np.average(total, axis=0, weights=labeled.row_weights)
            constant = targets.mean(axis=0) - mean
        return FunctionSum(tuple(parts), constant), total + constant
