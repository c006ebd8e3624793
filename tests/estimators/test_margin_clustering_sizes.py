import numpy as np
import pytest
from clusterings import FIXED, POWER_1, SEARCHES
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from widemargin.estimators.margin_clustering import MaxMarginClustering
from widemargin.kernels import Rbf
from widemargin.labelling import Evolution
from widemargin.objectives.class_sizes import Balance, nearest_sizes


def test_fixed_rows_that_leave_no_room_are_told(blobs):
    X, _ = blobs
    constraints = {"init": np.zeros(90, int), "fixed": np.ones(90, bool)}
    with pytest.raises(ValueError, match="no labeling has class sizes from"):
        MaxMarginClustering(3, balance="equal").fit(X, **constraints)
    model = MaxMarginClustering(3, kernel=Rbf(0.3), ambient_reg=0.01, graph=POWER_1)
    assert_array_equal(model.fit(X, **constraints).labels_, 0)  # as asked


def test_fixed_rows_may_leave_few_for_another_cluster(blobs):
    X, _ = blobs
    init = np.r_[np.zeros(87, int), 1, 1, 1]
    model = MaxMarginClustering(2, random_state=0).fit(X, init=init, fixed=range(87))
    assert_array_equal(model.labels_[:87], 0)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("options", [{}, {"landmarks": 20}, FIXED])
def test_no_cluster_of_equal_sizes_is_empty(rng, search, options):
    """Though a tolerance of a tenth would allow it for ten clusters."""
    X = rng.normal(size=(60, 2))
    model = MaxMarginClustering(
        12, balance="equal", search=search, random_state=0, **options
    )
    assert np.bincount(model.fit(X).labels_, minlength=12).min() >= 1


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("options", [{}, {"landmarks": 20}, FIXED])
@pytest.mark.slow
def test_no_cluster_is_empty(rng, search, options):
    """Though most rows are copies of one."""
    X = np.vstack([np.zeros((40, 2)), rng.normal(size=(10, 2))])
    for n_clusters in (2, 6):
        chosen = Evolution(2, 4) if search == "evolution" else search
        model = MaxMarginClustering(n_clusters, search=chosen, random_state=0)
        model.set_params(**options)
        labels = model.fit(X).labels_
        assert_array_equal(np.unique(labels), np.arange(n_clusters))
        assert labels.dtype.kind == "i"


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 99), st.integers(2, 5), st.sampled_from(SEARCHES))
def test_equal_sizes(seed, n_clusters, search):
    X = np.random.default_rng(seed).normal(size=(32, 2))
    model = MaxMarginClustering(
        n_clusters,
        balance=Balance("equal", tolerance=0),
        search=search,
        random_state=seed,
        **FIXED,
    )
    sizes = np.bincount(model.fit(X).labels_, minlength=n_clusters)
    expected = nearest_sizes(np.full(n_clusters, 1 / n_clusters), 32)
    assert_array_equal(np.sort(sizes), np.sort(expected))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("options", [{}, FIXED])
def test_sizes_by_number(blobs, search, options):
    X, _ = blobs
    shares = {0: 0.1, 1: 0.2, 2: 0.7}
    balance = Balance(shares, tolerance=0)
    model = MaxMarginClustering(
        3, balance=balance, search=search, random_state=0, **options
    )
    assert_array_equal(np.bincount(model.fit(X).labels_), [9, 18, 63])
    model.set_params(balance__tolerance=0.05)
    found = np.bincount(model.fit(X).labels_) / 90
    assert (np.abs(found - [0.1, 0.2, 0.7]) < 0.05).all()


@pytest.mark.parametrize(
    "balance",
    [
        {0: 0.5, 1: 0.5},
        {0: 0.5, 1: 0.3, 2: 0.3},
        {0: 0.5, 1: 0.5, 2: 0.0, 3: 0.0},
        {0: "a", 1: 0.5, 2: 0.5},
        {0: "0.5", 1: 0.3, 2: 0.2},
        {0: None, 1: 0.5, 2: 0.5},
        {0: 0.5, 1: 0.5, 2: float("nan")},
        {},
    ],
)
def test_wrong_shares_are_refused(blobs, balance):
    X, _ = blobs
    model = MaxMarginClustering(3, balance=balance)
    with pytest.raises(ValueError, match="balance of MaxMarginClustering") as caught:
        model.fit(X)
    assert f"got {balance!r}" in str(caught.value)


def test_wrong_shares_are_shown_as_plain_numbers(blobs):
    model = MaxMarginClustering(2, balance={0: np.float64(0.5), np.int64(1): 0.25})
    with pytest.raises(ValueError, match=r"got \{0: 0\.5, 1: 0\.25\}, which add up"):
        model.fit(blobs[0])
