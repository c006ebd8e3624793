import pytest
from toys import number, toy

from widemargin.bench import Quick, Row, find_benchmark, list_names


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
    assert {method.kind for method in benchmark.methods} <= {"paper", "ours", "peer"}
    if benchmark.picture in ("lines", "growth"):
        assert all(row.x is not None for row in benchmark.rows)
    assert benchmark.picture in (None, "lines", "growth", "course")
