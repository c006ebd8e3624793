"""The number of clusters, chosen without labels."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.metrics import adjusted_rand_score

from widemargin.defaults import NUMBER_RULE
from widemargin.labelling.choice import similarities
from widemargin.labelling.clusters import fit_k_means
from widemargin.labelling.mixtures import (
    fit_mixture,
    frame_blur,
    held_out_densities,
    principal_frame,
    prior_covariance,
)
from widemargin.linalg.rows import distinct_rows
from widemargin.stored import Stored, is_finite, require


@dataclass(frozen=True)
class GaussianCount(Stored):
    """The number of Gaussians that describes the rows best, and how sure it is.

    Attributes
    ----------
    numbers, gains
        Numbers of Gaussians from one on, and by how much the log density of held-out
        rows is larger than that of a single Gaussian, per row. Of mixtures with one
        covariance per cluster and with a shared one, the better one counts.
    chosen
        The smallest number whose density is within one standard error of the largest.
    replication
        Mean adjusted Rand index of two mixtures of this number of Gaussians, fitted to
        random halves of the rows; 1 for a single Gaussian. Halves of bent clusters,
        which many Gaussians also describe well, are cut at different places.
    """

    numbers: np.ndarray
    gains: np.ndarray
    chosen: int
    replication: float

    @property
    def is_replicated(self):
        """Whether both halves have nearly the same clusters."""
        return self.replication >= NUMBER_RULE.replication

    def check(self, n_features):
        """Raise ValueError unless the arrays fit each other and the chosen number."""
        require(_are_numbers(self.numbers), self, "numbers")
        fits = is_finite(self.gains, 1) and len(self.gains) == len(self.numbers)
        require(fits, self, "gains")
        require(self.chosen in self.numbers, self, "chosen")
        require(-1 <= self.replication <= 1, self, "replication")


@dataclass(frozen=True)
class NumberChoice(Stored):
    """Numbers of clusters that were compared, and the one that was chosen.

    Attributes
    ----------
    numbers, agreement, stability
        The numbers, and of the best trial of each the share of nearest neighbors in the
        same cluster, and the median adjusted Rand index with the other trials of its
        source: a failed trial is no evidence about the number.
    best
        Position of the largest number whose sum of both is nearly the largest. Clusters
        that are far apart can also be joined without any loss of agreement.
    gaussians : GaussianCount or None
        The number of Gaussians, which is chosen if it is replicated; None if rows are
        sparse or few, or if parameters of the clusters are prescribed.
    """

    numbers: np.ndarray
    agreement: np.ndarray
    stability: np.ndarray
    best: int
    gaussians: GaussianCount | None = None

    @property
    def compared(self):
        """All numbers that were compared, of Gaussians also 1."""
        return self.numbers if self.gaussians is None else self.gaussians.numbers

    @property
    def is_gaussian(self):
        """Whether the number of Gaussians was chosen."""
        return self.gaussians is not None and self.gaussians.is_replicated

    @property
    def chosen(self):
        """The chosen number."""
        if self.is_gaussian:
            return int(self.gaussians.chosen)
        return int(self.numbers[self.best])

    @property
    def second(self):
        """The next best number by the same evidence; None if there is none."""
        if self.is_gaussian or len(self.numbers) < 2:
            return None
        order = np.argsort(-(self.agreement + self.stability), kind="stable")
        return int(self.numbers[next(i for i in order if i != self.best)])

    def check(self, n_features):
        """Raise ValueError unless the arrays fit each other and the best position."""
        require(_are_numbers(self.numbers), self, "numbers")
        for name in ("agreement", "stability"):
            values = getattr(self, name)
            fits = is_finite(values, 1) and len(values) == len(self.numbers)
            require(fits, self, name)
        require(0 <= self.best < len(self.numbers), self, "best")
        if self.gaussians is not None:
            is_counted = np.isin(self.numbers, self.gaussians.numbers)
            require(is_counted.all(), self, "gaussians")

    @classmethod
    def of(cls, numbers, choices, gaussians=None):
        """The evidence of the choices of parameters, one for each number."""
        agreement = np.array([one.agreement[one.best] for one in choices])
        stability = np.array(
            [_median_similarity(*pair) for pair in zip(choices, numbers, strict=True)]
        )
        total = agreement + stability
        near = np.flatnonzero(total >= total.max() - NUMBER_RULE.tolerance)
        return cls(np.array(numbers), agreement, stability, int(near[-1]), gaussians)


def count_gaussians(X, labelings, order, rng):
    """How many Gaussians predict held-out rows best, and whether halves agree.

    `labelings` has the clusters from which mixtures of each number are fitted; `order`
    is the order in which random numbers are assigned to rows. Copies of a row are
    always held out together: else a narrow Gaussian at each of them would predict the
    others. None if there are few distinct rows.
    """
    first, distinct_of = distinct_rows(X[order])
    n_dims = min(NUMBER_RULE.most_dims, len(first) // NUMBER_RULE.rows_per_dim)
    frame = principal_frame(X, n_dims) if n_dims > 0 else None
    if frame is None:
        return None
    points, numbers = frame.project(X)[order], [1, *labelings]
    blur = frame_blur(X, frame)
    labelings = {1: np.zeros(len(order), dtype=int)} | labelings
    fold_of = distinct_of % NUMBER_RULE.n_folds
    densities, is_shared = [], []
    for number in numbers:
        prior, codes = prior_covariance(points, number), labelings[number][order]
        fit = partial(fit_mixture, n_clusters=number, prior=prior, blur=blur)
        fits = [partial(fit, shared=shared) for shared in (False, True)]
        both = [
            held_out_densities(points, codes, fold_of, own, (1.0,))[0] for own in fits
        ]
        is_shared.append(both[1].mean() > both[0].mean())
        densities.append(both[int(is_shared[-1])])
    place = _least_sufficient(np.array(densities), distinct_of)
    number, shared = numbers[place], is_shared[place]
    replication = 1.0
    if number > 1:
        replication = replicate(points, number, shared, distinct_of, rng, blur)
    gains = np.array([own.mean() - densities[0].mean() for own in densities])
    return GaussianCount(np.array(numbers), gains, number, replication)


def replicate(points, n_clusters, is_shared, distinct_of, rng, blur=0.0):
    """Mean similarity of the clusters of two mixtures, each of one half of the points.

    The mixtures start from k-means, which is fitted to the same half. Copies are in the
    same half: `distinct_of` are positions among the distinct rows.
    """
    options = {"blur": blur, "shared": is_shared}
    prior, found = prior_covariance(points, n_clusters), []
    for _ in range(NUMBER_RULE.n_splits):
        is_first = rng.permutation(distinct_of.max() + 1)[distinct_of] % 2 == 0
        both = []
        for half in (points[is_first], points[~is_first]):
            codes = fit_k_means(half, n_clusters, rng).labels_
            mixture = fit_mixture(half, codes, n_clusters, prior, **options)
            both.append(mixture.log_densities(points).argmax(axis=1))
        found.append(adjusted_rand_score(*both))
    return float(np.mean(found))


def _least_sufficient(densities, distinct_of):
    """Position of the first row within one standard error of that of largest mean.

    Columns of equal `distinct_of` are copies, which are no further evidence.
    """
    short = densities[densities.mean(axis=1).argmax()] - densities
    means, n_columns = short.mean(axis=1), short.shape[1]
    sums = [np.bincount(distinct_of, own) for own in short - means[:, None]]
    errors = np.linalg.norm(sums, axis=1) / n_columns
    return int(np.flatnonzero(means <= errors)[0])


def _are_numbers(numbers):
    """Whether a value is an array of increasing numbers of clusters."""
    fits = isinstance(numbers, np.ndarray) and numbers.ndim == 1 and len(numbers) > 0
    fits = fits and numbers.dtype.kind in "iu" and numbers[0] > 0
    return fits and bool((numbers[:-1] < numbers[1:]).all())


def _median_similarity(choice, n_clusters):
    """Median adjusted Rand index of the best trial with the others of its source."""
    source = choice.chosen.source
    family = [i for i, one in enumerate(choice.parameters) if one.source == source]
    labelings = [choice.labelings[i] for i in family]
    own = family.index(choice.best)
    others = np.delete(similarities(labelings, n_clusters)[own], own)
    return float(np.median(others)) if len(others) else 1.0
