import pytest
from pages import Page
from rich.console import Console
from toys import ERROR, number, record, records_of, toy

from widemargin_bench import Advice, Claim, Metric, Paper, Quick, Row
from widemargin_bench.catalog import Figure
from widemargin_bench.html_report import make_page
from widemargin_bench.results import Tally, summarize_benchmark
from widemargin_bench.statements import (
    FAILS,
    HOLDS,
    IN_PART,
    NOT_JUDGED,
    NotMeasured,
    Results,
    answer,
    by_share,
    conclude,
    find_cells,
    group_by_advice,
    headlines,
    judge_claim,
    make_remarks,
    signed_span,
    span,
)
from widemargin_bench.text_report import print_summaries

PAPER = Paper("p", "P.")
METHODS = (
    number("one"),
    number("base", kind="baseline"),
    number("two", kind="ours"),
    number("z", kind="peer"),
)
RUNS = [10.0, 11.0, 12.0]  # 11, up to 0.76


def summary_of(values, published, **options):
    benchmark = toy(**{"paper": PAPER, "methods": METHODS} | options)
    records = [
        found | {"metrics": found["metrics"] | {"fit_seconds": 1.0, "other": 5.0}}
        for found in records_of(values)
    ]
    return summarize_benchmark(benchmark, records, published)


def test_own_methods_and_baselines_are_counted_apart():
    values = {(row, name): RUNS for row in "ab" for name in ("one", "base", "two", "z")}
    published = {
        ("a", "one", "error"): Figure(20.0),  # better
        ("b", "one", "error"): Figure(11.5),  # equal
        ("a", "base", "error"): Figure(4.0),  # worse
        ("b", "z", "error"): Figure(11.0),  # a peer that the paper has is a baseline
        ("a", "two", "error"): Figure(4.0),  # ours are not the paper's
        ("a", "old", "error"): Figure(99.0),  # we have no such method
        ("a", "one", "fit_seconds"): Figure(99.0),
    }
    (headline,) = headlines([summary_of(values, published)])
    assert headline.own == Tally(better=1, equal=1)
    assert headline.baselines == Tally(equal=1, worse=1)
    assert headline.against_peers == {"z": Tally(equal=2)}
    assert headline.n_unmeasured == 0
    assert headline.sentence() == (
        "We measured 2 figures that the paper printed of its own methods: ours is "
        "better for 1, equal within one standard error for 1, and worse for 0. We "
        "measured 2 figures that the paper printed of its baselines: ours is better "
        "for 0, equal within one standard error for 1, and worse for 1."
    )


def test_all_scores_count_against_the_paper_and_the_first_against_peers():
    metrics = (Metric("error", "e"), Metric("other", "o"), Metric("steps", "s", None))
    values = {("a", name): RUNS for name in ("one", "two", "z")}
    published = {
        ("a", "one", name): Figure(11.0) for name in ("error", "other", "steps")
    }
    (headline,) = headlines([summary_of(values, published, metrics=metrics)])
    assert headline.own == Tally(better=1, equal=1)
    assert headline.against_peers == {"z": Tally(equal=1)}


def test_figures_that_are_printed_twice_count_once():
    """By the table that has more runs of it."""
    key = "a", "one", "error"
    few, many = {key[:2]: [9.0]}, {key[:2]: RUNS}
    (headline,) = headlines(
        [
            summary_of(few, {key: Figure(11.0)}),
            summary_of(many, {key: Figure(11.0)}, name="again"),
            summary_of(many, {key: Figure(99.0)}, name="another figure"),
        ]
    )
    assert headline.own == Tally(better=1, equal=1)


def test_what_is_not_measured_is_counted_over_all_tables():
    """Also in tables without results, and of methods that a table does not run."""
    first = {("a", "one", "error"): Figure(11.0), ("b", "one", "error"): Figure(11.0)}
    second = {("a", "one", "error"): Figure(7.0), ("a", "base", "error"): Figure(7.0)}
    headline, *others = headlines(
        [summary_of({("a", "one"): RUNS}, first)],
        [
            summary_of({}, second, name="never", methods=METHODS[1:]),
            summary_of({}, first, name="again"),
            summary_of({}, second, name="other", paper=Paper("q", "Q.")),
        ],
    )
    assert others == []  # nothing to say of a paper without results
    assert headline.own == Tally(equal=1)
    assert headline.n_unmeasured == 2
    assert "not measure 2 other figures of its own methods." in headline.sentence()


def test_comparisons_with_too_few_runs_are_said():
    values = {("a", name): [1.0, 2.0] for name in ("one", "base", "two", "z")}
    published = {("a", name, "error"): Figure(1.0) for name in ("one", "base")}
    (headline,) = headlines([summary_of(values, published)])
    assert headline.sentence() == (
        "We have too few runs for a comparison with 1 figure that the paper printed of "
        "its own methods. There is no verdict on 2 comparisons with the paper and "
        "1 comparison with other methods, because there are fewer than 3 runs."
    )


def test_methods_that_are_told_more_do_not_meet_peers():
    methods = (
        number("x", kind="ours", extra_input="test rows"),
        number("z", kind="peer"),
    )
    values = {("a", name): RUNS for name in "xz"}
    (headline,) = headlines([summary_of(values, {}, methods=methods)])
    assert headline.against_peers == {}


def test_times_do_not_count():
    metrics = (Metric("fit_seconds", "s"),)
    values = {("a", name): RUNS for name in ("one", "two", "z")}
    (headline,) = headlines([summary_of(values, {}, metrics=metrics)])
    assert headline.against_peers == {}


def test_headline_without_figures_says_so():
    values, printed = {("a", "one"): RUNS}, {("b", "one", "error"): Figure(1.0)}
    base = {("a", "base"): RUNS}, {("a", "base", "error"): Figure(1.0)}
    said = [
        headlines([summary_of(*of)])[0].sentence()
        for of in ((values, {}), (values, printed), base)
    ]
    assert said == [
        "The paper printed no figure of its own methods that we measured.",
        "We did not measure 1 figure of the paper's own methods.",
        "The paper printed no figure of its own methods that we measured. We measured "
        "1 figure that the paper printed of its baselines: ours is better for 0, equal "
        "within one standard error for 0, and worse for 1.",
    ]


def test_tables_of_our_own_come_last():
    values = {("a", "one"): RUNS}
    own, papers = summary_of(values, {}, paper=None), summary_of(values, {})
    found = headlines([own, papers])
    assert [headline.paper for headline in found] == [PAPER, None]
    assert found[1].sentence() == ""


def test_claims_of_a_paper_are_told():
    claims = (Claim("All is <well>.", lambda results: ("holds", "We saw.")),)
    values = {(row, "one"): RUNS for row in "ab"}
    summary = summary_of(values, {}, paper=Paper("p", "P.", claims))
    page = make_page([summary])
    assert "All is &lt;well&gt;. <strong>This holds.</strong> We saw." in page


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
    assert "covers 6 combinations of a data set and a number of labels" in text
    page = Page(make_page([one, without, other]))
    assert page.text.count("Is [new] worth <it>?") == 1
    assert "covers 6 combinations of a data set and a number of labels" in page.text
    assert "All 6 combinations" in page.text
    assert "other: b" in page.cells
    assert len(page.ids) == len(set(page.ids))


def test_conclusions_are_made_of_what_is_measured():
    papers = summary_of(
        {(row, "one"): RUNS for row in "ab"},
        {("a", "one", "error"): Figure(20.0), ("b", "one", "error"): Figure(11.5)},
        name="paper",
        conclusion=lambda results: f"It is {results.mean('paper', 'a', 'one')}.",
    )
    never = {"name": "never", "paper": None, "methods": METHODS}
    missing = summary_of(
        {}, {}, **never, conclusion=lambda results: results.mean("never", "a", "one")
    )
    assert conclude([summarized(), papers, missing]) == [
        "The mean error of new is 1.8 points above that of old, over 3 combinations of "
        "a number of labels and a data set.",
        "It is 11.0.",
        "We measured 2 figures that 1 paper printed of their own methods: ours is "
        "better for 1, equal within one standard error for 1, and worse for 0.",
    ]
    assert conclude([missing]) == []


# --- statements of the tables -----------------------------------------------------


def results_of(values, *, quick=False, published=None, **options):
    """Results of one benchmark, named toy."""
    records = [{"kind": "origin", "quick": quick, "date": ""}, *records_of(values)]
    benchmark = toy(methods=METHODS, **options)
    return Results([summarize_benchmark(benchmark, records, published or {})])


def test_results_compare_methods_on_the_same_runs():
    values = {
        ("a", "one"): [3.0, 4.0, 5.0],
        ("a", "base"): [1.0, 2.0, 3.0, 99.0],
        ("b", "one"): [1.0, 1.5, 1.0],
        ("b", "base"): [1.0, 1.5, 1.0, 99.0],
    }
    results = results_of(values, published={("a", "one", "error"): Figure(7.0)})
    assert results.means("toy", "one", rows=["a"]) == [4.0]
    assert results.differences("toy", "one", "base") == [2.0, 0.0]
    assert results.tally("toy", "one", "base") == Tally(equal=1, worse=1)
    assert results.printed("toy", "a", "one") == 7.0


@pytest.mark.parametrize(
    "figure",
    [
        lambda results: results.mean("no such table", "a", "one"),
        lambda results: results.mean("toy", "a", "two"),
        lambda results: results.means("toy", "one"),  # row b is missing
        lambda results: results.printed("toy", "a", "one"),
    ],
)
def test_a_figure_that_is_not_there_is_not_made_up(figure):
    with pytest.raises(NotMeasured):
        figure(results_of({("a", "one"): [1.0, 2.0]}))


def test_quick_results_make_no_statement():
    results = results_of({("a", "one"): [1.0]}, quick=True)
    claim = Claim("It works.", lambda results: results.mean("toy", "a", "one"))
    assert judge_claim(claim, results) == NOT_JUDGED


def test_remarks_are_sentences_or_functions_of_results():
    remarks = (
        "The paper has a table.",
        lambda results: f"Ours is {results.mean('toy', 'a', 'one')}.",
        lambda results: f"Theirs is {results.mean('toy', 'a', 'base')}.",
    )
    results = results_of({("a", "one"): [2.0]})
    said = make_remarks(toy(remarks=remarks), results)
    assert said == ["The paper has a table.", "Ours is 2.0."]


@pytest.mark.parametrize(
    ("n_true", "verdict"),
    [(10, HOLDS), (8, HOLDS), (7, IN_PART), (4, IN_PART), (3, FAILS)],
)
def test_a_claim_holds_on_most_rows(n_true, verdict):
    assert by_share(n_true, 10) == verdict


def test_spans_are_written_as_a_reader_expects():
    assert span([0.31, 0.82, 0.5], 2) == "0.31 to 0.82"
    assert span([1.04, 0.96]) == "1.0"
    assert signed_span([-0.03, 1.63]) == "0.0 to +1.6"
    assert signed_span([-5.06, 1.3]) == "−5.1 to +1.3"
