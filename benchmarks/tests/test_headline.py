from toys import number, records_of, toy

from widemargin_bench import Claim, Metric, Paper
from widemargin_bench.headline import headlines
from widemargin_bench.published import Figure
from widemargin_bench.report import make_page
from widemargin_bench.summary import summarize_benchmark
from widemargin_bench.verdicts import Tally

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
        "Our reproduction of its own methods is better than printed on 1, equal within "
        "one standard error on 1 and worse on 0 of 2 figures; of its baselines on 0, 1 "
        "and 1 of 2."
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
    """In tables without results, too, and of methods that a table does not run."""
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
    assert "own methods that are not measured: 2." in headline.sentence()


def test_comparisons_with_too_few_runs_are_said():
    values = {("a", name): [1.0, 2.0] for name in ("one", "base", "two", "z")}
    published = {("a", name, "error"): Figure(1.0) for name in ("one", "base")}
    (headline,) = headlines([summary_of(values, published)])
    assert headline.sentence() == (
        "None of 1 figures of its own methods has enough runs. Comparisons without a "
        "verdict, for fewer than 3 runs: 2 with the paper, 1 with peers."
    )


def test_methods_that_are_told_more_do_not_meet_peers():
    methods = (number("x", kind="ours", knows="test rows"), number("z", kind="peer"))
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
        "No printed figure can be held against ours of its own methods.",
        "None of 1 figures of its own methods is measured.",
        "No printed figure can be held against ours of its own methods; our "
        "reproduction of its baselines is better than printed on 0, equal within one "
        "standard error on 0 and worse on 1 of 1 figures.",
    ]


def test_tables_of_our_own_come_last():
    values = {("a", "one"): RUNS}
    own, papers = summary_of(values, {}, paper=None), summary_of(values, {})
    found = headlines([own, papers])
    assert [headline.paper for headline in found] == [PAPER, None]
    assert found[1].sentence() == ""


def test_claims_of_a_paper_are_told():
    claims = (Claim("All is <well>.", "holds", "We saw."),)
    values = {(row, "one"): RUNS for row in "ab"}
    summary = summary_of(values, {}, paper=Paper("p", "P.", claims))
    page = make_page([summary])
    assert "All is &lt;well&gt;. <strong>It holds.</strong> We saw." in page
