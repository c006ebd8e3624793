import pytest
from toys import number, toy

from widemargin_bench import Quick, Row, find_benchmark, list_names
from widemargin_bench.catalog import read_published

KINDS = {"paper", "baseline", "ours", "peer"}


def test_names_are_unique():
    with pytest.raises(ValueError, match=r"toy names methods twice: \['one'\]"):
        toy(methods=(number("one"), number("one")))
    with pytest.raises(ValueError, match=r"toy names rows twice: \['b'\]"):
        toy(rows=(Row("b"), Row("b")))


def test_quick_run_names_what_is_there():
    with pytest.raises(ValueError, match=r"quick rows of toy .*\['c'\]"):
        toy(quick=Quick(rows=("b", "c")))
    with pytest.raises(ValueError, match=r"quick methods of toy .*\['three'\]"):
        toy(quick=Quick(methods=("three",)))


def test_plan():
    benchmark = toy(quick=Quick(runs=5, methods=("two",)))
    rows, methods, runs = benchmark.plan(quick=True)
    assert [row.name for row in rows] == ["a", "b"]
    assert [method.name for method in methods] == ["two"]
    assert runs == 3  # no more than in a full run
    assert benchmark.plan(quick=False) == (benchmark.rows, benchmark.methods, 3)


def test_quick_run_may_have_other_options():
    benchmark = toy(quick=Quick(options={"size": 3}))
    assert [row["size"] for row in benchmark.plan(quick=True)[0]] == [3, 3]
    assert [row["seed"] for row in benchmark.plan(quick=True)[0]] == [0, 1]
    assert all("size" not in row.options for row in benchmark.plan(quick=False)[0])
    part = benchmark.part(rows=["b"], runs=2)
    assert [row["size"] for row in part.plan(quick=True)[0]] == [3]


def test_catalog_knows_its_benchmarks():
    for name in list_names():
        assert find_benchmark(name).name == name
    with pytest.raises(
        ValueError, match=r"no benchmark 'nope'; choose one of .*defaults"
    ):
        find_benchmark("nope")


@pytest.mark.parametrize("name", list_names())
def test_every_benchmark_says_what_a_reader_needs(name):
    benchmark = find_benchmark(name)
    assert benchmark.title
    assert len(benchmark.protocol) > 60
    assert benchmark.runs >= 1
    assert all(benchmark.plan(quick=False))
    assert {method.kind for method in benchmark.methods} <= KINDS
    if benchmark.picture in ("lines", "growth"):
        assert all(row.x is not None for row in benchmark.rows)
    assert benchmark.picture in (None, "lines", "growth", "course")


def test_printed_methods_are_of_one_kind_in_all_tables_of_a_paper():
    """Then a table that does not run one knows whose it is."""
    benchmarks, kinds = [find_benchmark(name) for name in list_names()], {}
    printed = {
        (benchmark.paper, method)
        for benchmark in benchmarks
        for _, method, _ in read_published(benchmark.name)
    }
    for benchmark in benchmarks:
        for method in benchmark.methods:
            kinds.setdefault((benchmark.paper, method.name), set()).add(method.kind)
    assert all(len(kinds[key]) == 1 for key in printed & kinds.keys())


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("umc-table1", "UMC-RLS re-shaken"),
        ("umc-equal-sizes", "UMC-RLS re-shaken, equal sizes"),
        ("s2rlsc-table2", "tabu, smoothed start"),
        ("s2rlsc-figure7", "tabu, smoothed start"),
        ("self-labeling-table2", "GPC"),
        ("self-labeling-table3", "GPC, landmarks"),
        ("self-labeling-table4", "GPC, true shares"),
        ("self-labeling-classes", "GPC, equal shares"),
        ("self-labeling-probabilities", "probit"),
        ("tri-digits", "3C-SVM"),
        ("laplacian-accuracy", "LapSVM Newton"),
    ],
)
def test_methods_that_are_told_more_say_so(name, told):
    assert find_benchmark(name).method(told).extra_input


@pytest.mark.parametrize(
    ("name", "n_sets"),
    [
        ("s2rlsc-table3", 5),
        ("tri-digits", 2),
        ("tri-synthetic", 2),
        ("laplacian-accuracy", 4),
        ("self-labeling-table2", 7),
        ("self-labeling-table3", 1),
        ("self-labeling-table4", 10),
        ("self-labeling-probabilities", 8),
    ],
)
def test_rows_that_share_data_are_one_set(name, n_sets):
    assert len({row.set or row.name for row in find_benchmark(name).rows}) == n_sets


def test_the_paper_may_have_more_runs():
    assert find_benchmark("self-labeling-table4").paper_runs == 10


def test_a_part_has_the_rows_methods_and_runs_that_are_told():
    whole = toy()
    assert whole.part() == whole
    first_row, first_method = whole.rows[0].name, whole.methods[0].name
    part = whole.part(rows=[first_row.upper()], methods=[first_method], runs=7)
    for quick in (False, True):
        rows, methods, runs = part.plan(quick=quick)
        assert first_row in [row.name for row in rows]
        assert first_method in [method.name for method in methods]
        assert runs == 7
    assert whole.part(rows=["no such row"]) is None
