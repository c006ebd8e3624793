import pytest
from toys import number, record, records_of, toy

from widemargin_bench.benchmark import ERROR
from widemargin_bench.published import Figure
from widemargin_bench.summary import compare, summarize_benchmark


def test_comparison_takes_the_runs_that_both_have():
    benchmark = toy(methods=(number("one", kind="ours"), number("two", kind="peer")))
    values = {("a", "one"): [10.0, 20.0, 30.0], ("a", "two"): [11.0, 21.5, 31.0, 99.0]}
    (comparison,) = compare(summarize_benchmark(benchmark, records_of(values), {}))
    assert comparison.ours == (10.0, 20.0, 30.0)
    assert comparison.theirs == (11.0, 21.5, 31.0)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("paper", "ours", "peer"), [("y", "z")]),
        (("paper", "paper", "peer"), [("x", "z"), ("y", "z")]),
        (("paper", "baseline", "peer"), [("x", "z")]),
        (("paper", "ours", "ours"), []),
    ],
)
def test_peers_meet_ours_or_else_the_papers(kinds, expected):
    methods = [number(n, kind=kind) for n, kind in zip("xyz", kinds, strict=True)]
    values = {("a", name): [1.0] for name in "xyz"}
    summary = summarize_benchmark(toy(methods=tuple(methods)), records_of(values), {})
    assert [(c.method, c.peer) for c in compare(summary)] == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [("", ["x"]), ("test rows", ["y"]), ("true shares", [])],
)
def test_methods_that_are_told_more_meet_peers_that_are_told_the_same(told, expected):
    methods = (
        number("x", kind="ours"),
        number("y", kind="ours", knows="test rows"),
        number("z", kind="peer", knows=told),
    )
    values = {("a", name): [1.0] for name in "xyz"}
    summary = summarize_benchmark(toy(methods=methods), records_of(values), {})
    assert [c.method for c in compare(summary)] == expected


@pytest.mark.parametrize(("paper_runs", "expected"), [(None, 3), (10, 10)])
def test_spread_of_the_paper_is_over_its_own_runs(paper_runs, expected):
    records = records_of({("a", "one"): [1.0]})
    summary = summarize_benchmark(toy(paper_runs=paper_runs), records, {})
    assert summary.cells["a", "one", "error"].paper_runs == expected


def test_summary_takes_what_it_knows_and_no_more():
    records = [
        {"kind": "origin", "date": "2026-01-01 00:00", "quick": False},
        record("a", "one", 0, error=1.0, fit_seconds=0.5),
        record("a", "one", 1, error=float("nan")),
        record("a", "two", 0, error=[3.0, 2.0]) | {"not_converged": 1},
        record("gone", "one", 0, error=1.0),
        record("a", "gone", 0, error=1.0),
        {"kind": "cell", "row": "b", "method": "two", "run": 0, "failure": "why"},
    ]
    records[1]["peak_mib"] = 12.5
    summary = summarize_benchmark(toy(), records, {})
    assert list(summary.cells) == [("a", "one", "error"), ("a", "one", "fit_seconds")]
    assert summary.cells["a", "one", "error"].values == {0: 1.0}
    assert [m.name for m in summary.metrics] == ["error", "fit_seconds"]
    assert summary.curves["a", "two", "error"][0].tolist() == [3.0, 2.0]
    assert summary.unconverged == {("a", "two"): 1}
    assert summary.memory == {("a", "one"): 12.5}
    assert summary.failures == {("b", "two", 0): "why"}
    assert [row.name for row in summary.rows] == ["a", "b"]


@pytest.mark.parametrize(
    ("runs", "quick", "note"),
    [
        ((3, 3), False, None),
        ((3, 3), True, "quick run: 3 of 3 runs, 2 of 2 rows"),
        ((1, 3), False, "not complete: 1 to 3 of 3 runs, 2 of 2 rows"),
        ((1, 0), True, "quick run: 1 of 3 runs, 1 of 2 rows"),
    ],
)
def test_note_says_how_much_is_there(runs, quick, note):
    values = {(row, m): [1.0] * n for row, n in zip("ab", runs, strict=True)
              for m in ("one", "two")}  # fmt: skip
    records = [{"kind": "origin", "quick": quick}, *records_of(values)]
    assert summarize_benchmark(toy(), records, {}).note == note


def test_methods_that_the_paper_printed_are_named_once():
    published = {
        ("a", "one", "error"): Figure(1.0),
        ("a", "old", "error"): Figure(1.0),
        ("b", "old", "error"): Figure(1.0),
        ("b", "older", "error"): Figure(1.0),  # on a row that did not run
    }
    records = records_of({("a", "one"): [1.0]})
    summary = summarize_benchmark(toy(), records, published)
    assert summary.printed(ERROR) == ["one", "old"]
