import numpy as np
from numpy.testing import assert_allclose

from widemargin.kernels import Rbf
from widemargin.solvers.active_learning import choose_rows, information


def test_information_is_the_mutual_information_of_label_and_candidate(rng):
    """And, a twentieth of it, the entropy of the label."""
    probabilities = rng.dirichlet(np.ones(3), size=(4, 5))
    weights = rng.dirichlet(np.ones(4))
    joint = weights[:, None, None] * probabilities  # candidate, row, class
    for row in range(5):
        table = joint[:, row]
        independent = np.outer(table.sum(axis=1), table.sum(axis=0))
        slow = (table * np.log(table / independent)).sum()
        share = table.sum(axis=0)
        slow -= 0.05 * (share * np.log(share)).sum()
        assert_allclose(information(probabilities, weights)[row], slow)


def test_certain_agreement_holds_no_information():
    same = np.broadcast_to([[1.0, 0.0, 0.0]], (4, 1, 3))
    assert_allclose(information(same, np.full(4, 0.25)), 0, atol=1e-12)


def test_contradiction_holds_more_information_than_shared_uncertainty():
    contradiction = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
    doubt = np.full((2, 1, 2), 0.5)
    values = [information(p, np.full(2, 0.5))[0] for p in (contradiction, doubt)]
    assert_allclose(values, [1.05 * np.log(2), 0.05 * np.log(2)])


def test_copies_are_not_chosen_before_others():
    """The second best row is a copy of the best, and comes last."""
    points = np.array([[0.0], [0.0], [5.0], [9.0]])
    value = np.array([1.0, 0.9, 0.5, 0.4])
    assert choose_rows(value, Rbf(1.0), points, 3).tolist() == [0, 2, 3]
    assert choose_rows(value, Rbf(1.0), points, 9).tolist() == [0, 2, 3, 1]


def test_nothing_is_chosen_of_nothing():
    assert len(choose_rows(np.empty(0), Rbf(1.0), np.empty((0, 2)), 5)) == 0
