import pytest
from pages import Page
from rich.console import Console
from toys import ERROR, number, record, toy

from widemargin_bench import Advice, Metric, Quick, Row
from widemargin_bench.answers import answer, find_cells, group_by_advice
from widemargin_bench.report import make_page
from widemargin_bench.summary import summarize_benchmark
from widemargin_bench.text import print_summaries

ADVICE = Advice("Is [new] worth <it>?", "new", "old", by=("kind",))
ERRORS = {  # by row and method, a number a draw
    "a": {"new": [10.0, 14.0], "old": [12.0, 12.5], "x": [9.0, 13.0], "y": [0.0]},
    "b": {"new": [20.0, 30.0], "old": [16.0, 25.0], "x": [21.0, 31.0]},
    "c": {"new": [5.1, 5.1], "old": [4.1, 4.1], "x": [7.0, 7.0]},
}
ESTIMATES = {"a": [(8.0, 1.0), (14.5, 0.2)], "b": [(10.0, 5.0), (31.0, 1.0)], "c": []}


def summarized(name="toy", kinds=("k", "l", "l"), errors=ERRORS, **options):
    rows = [Row(r, options={"kind": k}) for r, k in zip("abc", kinds, strict=True)]
    records = []
    for row, methods in errors.items():
        for method, values in methods.items():
            for run, error in enumerate(values):
                told = {}
                if method == "new" and ESTIMATES[row]:
                    value, std = ESTIMATES[row][run]
                    told = {"estimated_error": value, "estimated_error_std": std}
                records.append(record(row, method, run, error=error, **told))
    given = {
        "name": name,
        "paper": None,
        "metrics": (
            ERROR,
            Metric(ADVICE.estimate, "estimate", lower_is_better=None),
            Metric(ADVICE.estimate_std, "its error", lower_is_better=None),
        ),
        "rows": tuple(rows),
        "methods": tuple(
            number(m, kind="peer" if m == "old" else "ours")
            for m in ("new", "old", "x", "y")
        ),
        "quick": Quick(),
        "advice": ADVICE,
    }
    return summarize_benchmark(toy(**given | options), records, {})


@pytest.fixture
def cells():
    return find_cells(summarized())


def test_cells_hold_the_draws_that_both_methods_have(cells):
    first = cells[0]
    assert first.differences == [-2.0, 1.5]
    assert first.difference == -0.25
    assert first.others == {"old": 12.25, "x": 11.0}  # y has one draw only
    assert first.best == "x"
    assert first.distance == 1.0
    assert cells[1].best == "old"
    assert cells[1].distance == 4.5


def test_estimates_hold_within_two_standard_errors(cells):
    assert [cell.holds for cell in cells] == [[True, False], [True, True], []]


def test_answers_are_means_over_cells_and_shares_of_draws(cells):
    every, *parts = answer(ADVICE, cells)
    assert (every.part, every.n_cells, every.n_draws) == ("all", 3, 6)
    assert every.difference == pytest.approx((-0.25 + 4.5 + 1.0) / 3)
    assert every.worse_cells == {1: pytest.approx(1 / 3), 3: pytest.approx(1 / 3)}
    assert every.worse_draws == {1: pytest.approx(3 / 6), 3: pytest.approx(2 / 6)}
    assert every.distance == pytest.approx((1.0 + 4.5 + 1.0) / 3)
    assert every.holding == pytest.approx(3 / 4)
    assert [(of.part, of.n_cells) for of in parts] == [("k", 1), ("l", 2)]
    assert parts[0].worse_draws == {1: 0.5, 3: 0.0}


def test_exactly_one_point_is_not_more_than_one(cells):
    """5.1 - 4.1 is a little less, and other such differences a little more."""
    assert cells[2].differences == [1.0, 1.0]
    only = answer(ADVICE, cells[2:])[0]
    assert only.worse_cells[1] == only.worse_draws[1] == 0.0
    assert only.holding is None
    assert "estimated" not in only.sentence(ADVICE)


def test_ours_may_be_better_than_the_best_in_hindsight():
    errors = {"a": {"new": [1.0], "old": [3.0], "x": [2.0]}}
    (cell,) = find_cells(summarized(errors=errors))
    assert cell.distance == -1.0


def test_rows_without_one_of_the_methods_do_not_count():
    errors = {"a": {"new": [1.0], "x": [2.0]}, "b": {"old": [1.0]}}
    summary = summarized(errors=errors)
    assert find_cells(summary) == []
    assert answer(ADVICE, []) == []
    assert "worth" not in Page(make_page([summary])).text


def test_benchmarks_with_the_same_advice_are_answered_together():
    one, other = summarized(), summarized("other")
    without = summarized("without", advice=None)
    assert group_by_advice([one, without, other]) == {ADVICE: [one, other]}
    console = Console(record=True, width=120)
    print_summaries([one, without, other], [], console)
    text = console.export_text()
    assert text.count("Is [new] worth <it>?") == 1
    assert "Over 6 cells and 12 draws the error of new minus that of old" in text
    page = Page(make_page([one, without, other]))
    assert page.text.count("Is [new] worth <it>?") == 1
    assert "Over 6 cells and 12 draws the error of new minus that of old" in page.text
    assert "All 6 cells" in page.text
    assert "other: b" in page.cells
    assert len(page.ids) == len(set(page.ids))
