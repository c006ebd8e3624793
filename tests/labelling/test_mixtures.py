from dataclasses import replace
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from widemargin.defaults import MIXTURE
from widemargin.labelling import mixtures
from widemargin.labelling.mixtures import MixtureTrial, fit_better_mixture


@pytest.fixture
def nested(rng):
    """Two clouds around one place, one of them wide."""
    y = np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 8)) * np.where(y == 0, 0.4, 2.0)[:, None]
    return X, y


def fit(X, codes, n_clusters, *, shared=False):
    prior = mixtures.prior_covariance(X - X.mean(axis=0), n_clusters)
    return mixtures.fit_mixture(X, codes, n_clusters, prior, shared=shared)


@pytest.mark.parametrize("shared", [False, True])
def test_densities_are_those_of_the_gaussians(nested, shared):
    X, y = nested
    mixture = fit(X, y, 2, shared=shared)
    expected = [
        np.log(mixture.shares[h])
        + multivariate_normal(
            mixture.means[h], mixture.factors[h] @ mixture.factors[h].T
        ).logpdf(X)
        for h in range(2)
    ]
    assert_allclose(mixture.log_densities(X), np.array(expected).T)
    same = np.allclose(mixture.factors[0], mixture.factors[1])
    assert same == shared


@pytest.mark.parametrize(("shared", "kind"), [(False, "full"), (True, "tied")])
def test_expectation_maximization_agrees_with_scikit_learn(shared, kind):
    """Where the prior has no weight."""
    X, y = make_blobs(400, centers=3, cluster_std=2.0, n_features=3, random_state=4)
    codes = np.where(np.arange(400) % 9 == 0, (y + 1) % 3, y)
    means = np.array([X[codes == h].mean(axis=0) for h in range(3)])
    options = {"covariance_type": kind, "tol": 1e-8, "max_iter": 1000}
    other = GaussianMixture(3, means_init=means, random_state=0, **options).fit(X)
    with (
        patch.object(mixtures, "MIXTURE", MIXTURE._replace(prior_rows=1e-12)),
        patch.object(mixtures, "_TOL", 1e-9),
        patch.object(mixtures, "_MAX_ROUNDS", 1000),
    ):
        mixture = fit(X, codes, 3, shared=shared)
    assert_allclose(mixture.means, other.means_, atol=1e-2)
    assert_allclose(mixture.shares, other.weights_, atol=1e-3)
    found = np.logaddexp.reduce(mixture.log_densities(X), axis=1).mean()
    assert_allclose(found, other.score(X), atol=1e-5)


@pytest.mark.parametrize("width", [1.0, 0.8, 0.3])
def test_a_smoothed_cluster_is_a_density_with_the_covariance_of_the_cluster(rng, width):
    inside = rng.normal(size=(60, 1))
    inside = (inside - inside.mean()) / inside.std()
    grid = np.linspace(-9, 9, 20_001)[:, None]
    log_values = mixtures._log_smoothed(grid, inside, width)
    values = np.exp(log_values) / np.sqrt(2 * np.pi) * (grid[1, 0] - grid[0, 0])
    assert_allclose(values.sum(), 1.0, atol=1e-6)
    assert_allclose((values * grid[:, 0]).sum(), 0.0, atol=1e-6)
    assert_allclose((values * grid[:, 0] ** 2).sum(), 1.0, atol=1e-4)


def test_held_out_density_is_that_of_models_without_the_row(nested):
    """Against a loop over folds and rows with SciPy's densities."""
    X, y = nested
    X = X[:, :3] - X[:, :3].mean(axis=0)
    prior, fold_of = mixtures.prior_covariance(X, 2), np.arange(300) % 3
    hard = partial(mixtures._estimate_hard, n_clusters=2, prior=prior)
    found = mixtures.held_out_densities(X, y, fold_of, hard, (1.0,)).mean()
    logs = np.empty(300)
    for fold in range(3):
        rest = fold_of != fold
        total = 0.0
        for h in range(2):
            own, n_more = X[rest & (y == h)], MIXTURE.prior_rows * 5
            scatter = np.cov(own.T, bias=True) * len(own) + n_more * prior
            law = multivariate_normal(own.mean(axis=0), scatter / (len(own) + n_more))
            total = total + len(own) / rest.sum() * law.pdf(X[~rest])
        logs[~rest] = np.log(total)
    assert_allclose(found, logs.mean())


def test_gaussian_clusters_are_found_from_poor_ones(nested):
    X, y = nested
    poor = (X[:, 0] > 0).astype(int)
    mixture, trials = fit_better_mixture(X, poor, 2, np.arange(300))
    assert adjusted_rand_score(y, mixture(X)[:, 0] > 0) > 0.95
    full, shared = trials
    assert full.is_better
    assert full.gain > 1
    assert full.misfit < 0.01
    assert not shared.is_shared or full.gain > shared.gain


def test_bent_clusters_are_kept():
    X, y = make_moons(400, noise=0.05, random_state=0)
    mixture, trials = fit_better_mixture(X, y, 2, np.arange(400))
    assert mixture is None
    assert all(trial.misfit > trial.gain for trial in trials)


@pytest.mark.parametrize(
    ("gain", "misfit", "overlap", "is_better"),
    [
        (0.3, 0.0, 0.1, True),
        (0.3, 0.1, 0.1, True),
        (0.3, 0.2, 0.1, False),
        (0.3, 0.2, 0.9, True),
        (-0.1, 0.0, 0.9, False),
    ],
)
def test_what_a_mixture_misses_counts_unless_clusters_stay(
    gain, misfit, overlap, is_better
):
    assert MixtureTrial(False, gain, misfit, overlap).is_better == is_better


@pytest.mark.parametrize("n_features", [8, 500])
def test_units_and_offsets_do_not_matter(nested, n_features):
    X, _ = nested
    X = np.hstack([X, np.zeros((300, n_features - 8))])
    poor = (X[:, 0] > 0).astype(int)
    plain, _ = fit_better_mixture(X, poor, 2, np.arange(300))
    moved = 1e-120 * X if n_features == 8 else 1e6 * X + 1e7
    other, _ = fit_better_mixture(moved, poor, 2, np.arange(300))
    assert_array_equal(plain(X) > 0, other(moved) > 0)
    assert np.isfinite(plain(np.full((1, n_features), 1e300))).all()


@pytest.mark.parametrize("which", ["constant", "repeated"])
def test_columns_without_news_do_not_matter(nested, which):
    """A density of no width would fit any shape there."""
    X, _ = nested
    poor = (X[:, 0] > 0).astype(int)
    plain, trials = fit_better_mixture(X, poor, 2, np.arange(300))
    column = np.full((300, 1), 3.0) if which == "constant" else X[:, :1]
    more = np.hstack([X, column])
    other, found = fit_better_mixture(more, poor, 2, np.arange(300))
    assert [t.is_better for t in found] == [t.is_better for t in trials]
    if which == "constant":
        assert_allclose(found[0].misfit, trials[0].misfit, atol=1e-9)
        assert_allclose(other(more), plain(X), rtol=1e-6, atol=1e-6)
    assert adjusted_rand_score(plain(X)[:, 0] > 0, other(more)[:, 0] > 0) > 0.9


@pytest.mark.parametrize("n_categories", [2, 3, 4, 6])
def test_categories_have_volumes_like_their_shares(rng, n_categories):
    """Without the blur they would have none, and any density."""
    codes = np.arange(300) % n_categories
    X = np.hstack([rng.normal(size=(300, 3)), np.eye(n_categories)[codes]])
    frame = mixtures.principal_frame(X, n_categories + 2)
    points, blur = frame.project(X), mixtures.frame_blur(X, frame)
    with patch.object(mixtures, "MIXTURE", MIXTURE._replace(prior_rows=1e-12)):
        whole, parts = (
            mixtures._estimate_hard(points, labels, k, np.eye(len(blur)), blur)
            for labels, k in ((np.zeros(300, dtype=int), 1), (codes, n_categories))
        )
    volumes = [
        np.log(np.einsum("kii->ki", own.factors)).sum(axis=1).mean()
        for own in (whole, parts)
    ]
    assert_allclose(volumes[0] - volumes[1], np.log(n_categories), atol=0.25)


def test_repeated_values_are_no_misfit(nested):
    """Gaussians of few values beside others are as good as without them."""
    X, y = nested
    poor = (X[:, 0] > 0).astype(int)
    _, alone = fit_better_mixture(X, poor, 2, np.arange(300))
    mixed = np.column_stack([X, np.eye(3)[np.arange(300) % 3]])
    mixture, trials = fit_better_mixture(mixed, poor, 2, np.arange(300))
    assert trials[0].is_better
    assert trials[0].misfit < alone[0].misfit + 0.05
    assert adjusted_rand_score(y, mixture(mixed)[:, 0] > 0) > 0.9


def test_no_mixture_of_equal_or_few_rows():
    codes = np.arange(30) % 2
    assert fit_better_mixture(np.ones((30, 2)), codes, 2, np.arange(30)) == (None, ())
    few = np.arange(8.0)[:, None]
    assert fit_better_mixture(few, codes[:8], 2, np.arange(8)) == (None, ())


def test_scores_are_log_probabilities():
    X, y = make_blobs(300, centers=3, cluster_std=1.0, random_state=0)
    given = (y + (np.arange(300) % 5 == 0)) % 3
    mixture, _ = fit_better_mixture(X, given, 3, np.arange(300))
    assert_allclose(np.exp(mixture(X)).sum(axis=1), 1.0)
    for name, wrong in (
        ("center", np.zeros(3)),
        ("axes", np.full((2, 2), np.nan)),
        ("shares", np.array([1.0])),
        ("means", np.zeros((3, 5))),
        ("factors", np.zeros((3, 2, 2))),
    ):
        with pytest.raises(ValueError, match=f"{name} of Mixture does not fit"):
            replace(mixture, **{name: wrong}).check(2)
    mixture.check(2)
