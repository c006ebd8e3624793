"""Parts of fitted models check themselves."""

import dataclasses
from dataclasses import dataclass, field

import numpy as np
import pytest

from widemargin.averaging import average_models
from widemargin.calibration import Calibration
from widemargin.kernels import Linear, Precomputed, Rbf
from widemargin.solvers.result import SolveResult, Status
from widemargin.spaces import Function, FunctionSum
from widemargin.spaces.function import Embedding
from widemargin.spaces.posterior import (
    DenseExplanation,
    LowRankExplanation,
    Posterior,
    VarianceFunction,
)
from widemargin.stored import Stored, check_part, parts_in, replace_parts

FUNCTION = Function(Rbf(1.0), np.eye(3), np.ones((3, 2)), np.zeros(2))
DENSE = DenseExplanation(np.ones(4), np.eye(4))
AVERAGE = average_models(
    np.full((2, 5, 2), 0.5), np.zeros(5, dtype=int), np.ones(2), np.ones(5)
)
EMBEDDING = Embedding(Rbf(1.0), np.ones((4, 3)))
PARTS = {
    "function": FUNCTION,
    "positions": Function(Precomputed(), np.arange(3), np.ones((3, 2)), np.zeros(2)),
    "sum": FunctionSum((FUNCTION, FUNCTION), np.zeros(2)),
    "calibration": Calibration(2.0),
    "average": AVERAGE,
    "dense": DENSE,
    "low rank": LowRankExplanation(np.eye(4), 0.5),
    "posterior": Posterior(DENSE, np.ones((4, 1)), 0.1, 2.0),
    "embedding": EMBEDDING,
    "features": Embedding(Rbf(1.0), np.eye(3), np.ones((3, 2))),
    "rows": Embedding(Linear(), None),
    "variance": VarianceFunction(
        EMBEDDING, Posterior(DENSE, np.ones((4, 1)), 0.1, 2.0), None
    ),
    "result": SolveResult(np.zeros(9), 1.0, Status.MAX_ITER, 3, {"objective": [1.0]}),
}


def check(part):
    """Check a part and those inside of it, as an estimator does."""
    for each in parts_in(part):
        check_part(each, 3)


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_parts_that_fit_pass(part):
    check(part)
    check(part.kept())


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("function", "kernel", "rbf"),
        ("function", "points", np.zeros((3, 4))),
        ("function", "points", np.zeros((2, 3))),
        ("function", "points", np.full((3, 3), np.nan)),
        ("function", "points", np.zeros(9)),
        ("function", "points", "rows"),
        ("function", "coef", np.ones(3)),
        ("function", "coef", np.ones((3, 2), dtype=int)),
        ("function", "coef", np.full((3, 2), np.inf)),
        ("function", "coef", np.full((3, 2), 1e308)),
        ("function", "points", np.full((3, 3), 1e200)),
        ("function", "coef", None),
        ("function", "intercept", np.zeros(3)),
        ("function", "intercept", 0.0),
        ("positions", "points", np.array([0, 1, 3])),
        ("positions", "points", np.array([0, 1, -1])),
        ("positions", "points", np.arange(2)),
        ("positions", "points", np.arange(3.0)),
        ("sum", "parts", ()),
        ("sum", "parts", [FUNCTION]),
        ("sum", "parts", (FUNCTION, "rbf")),
        (
            "sum",
            "parts",
            (FUNCTION, Function(Linear(), np.eye(3), np.ones((3, 1)), np.zeros(1))),
        ),
        ("calibration", "slope", 0.0),
        ("calibration", "slope", -1.0),
        ("calibration", "slope", np.nan),
        ("calibration", "slope", np.inf),
        ("calibration", "slope", "steep"),
        ("calibration", "slope", np.ones(2)),
        ("average", "weights", np.array([0.5, 0.4])),
        ("average", "weights", np.array([1.5, -0.5])),
        ("average", "weights", np.array([np.nan, 1.0])),
        ("average", "weights", np.array([1, 0])),
        ("average", "weights", [0.5, 0.5]),
        ("average", "losses", np.zeros(3)),
        ("average", "losses", np.array([np.nan, 0.0])),
        ("average", "errors", np.zeros((2, 2))),
        ("average", "coef", np.zeros(1)),
        ("average", "gain", "large"),
        ("dense", "factor", np.ones((4, 3))),
        ("dense", "factor", np.zeros((4, 4))),
        ("dense", "root", np.ones(3)),
        ("low rank", "factor", np.full((4, 4), np.nan)),
        ("low rank", "reg", -1.0),
        ("posterior", "explanation", None),
        ("posterior", "explanation", FUNCTION),
        ("posterior", "ones", np.ones(4)),
        ("posterior", "ones", np.ones((3, 1))),
        ("posterior", "scale", -1.0),
        ("posterior", "mean_variance", np.inf),
        ("embedding", "points", np.ones((4, 2))),
        ("embedding", "points", None),
        ("features", "whitening", np.ones((4, 2))),
        ("features", "whitening", np.full((3, 2), np.nan)),
        ("variance", "posterior", None),
        ("variance", "embedding", Embedding(Rbf(1.0), np.ones((5, 3)))),
        ("variance", "diagonal", -1.0),
        ("result", "status", "converged"),
        ("result", "n_iter", 2.5),
        ("result", "n_iter", True),
        ("result", "history", {"objective": 1.0}),
        ("result", "history", {"objective": ["low"]}),
    ],
)
def test_parts_that_do_not_fit_are_named(part, name, value):
    wrong = dataclasses.replace(PARTS[part], **{name: value})
    blamed = {"embedding": "posterior", "whitening": "points|whitening"}.get(name, name)
    message = rf"^({blamed}) of {type(wrong).__name__} "
    with pytest.raises(ValueError, match=message):
        check(wrong)


def test_what_has_an_entry_for_each_row_is_left_out():
    assert AVERAGE.held_out is not None
    assert AVERAGE.kept().held_out is None
    history = {"objective": [np.float64(1.0)], "rows": [np.zeros(9)], "note": ["a"]}
    result = dataclasses.replace(PARTS["result"], history=history).kept()
    assert result.solution is None
    assert result.history == {"objective": [1.0]}


def test_parts_say_which_training_rows_they_hold():
    weights = Function(Linear(), np.ones((2, 3)), np.eye(2), np.zeros(2))
    assert FUNCTION.training_rows is FUNCTION.points
    assert weights.training_rows is None
    assert EMBEDDING.training_rows is EMBEDDING.points
    for part in set(PARTS) - {"function", "embedding", "features"}:
        assert PARTS[part].training_rows is None


def test_parts_are_found_at_any_depth():
    @dataclass(frozen=True)
    class Outer(Stored):
        inner: object
        left_out: object = field(default=None, metadata={"kept": False})

    outer = Outer({"a": [Calibration(1.0), (FUNCTION,)]})
    assert list(parts_in([outer, 3])) == [Calibration(1.0), FUNCTION, outer]


def test_parts_of_a_kind_are_replaced_in_containers():
    given = {"a": [1, (FUNCTION, "b")], "c": AVERAGE}
    found = replace_parts(given, Function, lambda part: part.n_columns)
    assert found == {"a": [1, (2, "b")], "c": AVERAGE}
    assert given["a"][1][0] is FUNCTION
    assert replace_parts(FUNCTION, Function, type) is Function
