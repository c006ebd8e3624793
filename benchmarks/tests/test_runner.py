import json
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from toys import CALLS, choose, draw, fail, number, toy

from widemargin_bench import Method, Quick, Row, run_benchmark, runner
from widemargin_bench.runner import (
    Store,
    cells,
    choices,
    failures,
    has_other_code,
    missing_data,
    missing_modules,
    origin,
    peak_memory,
    plan,
)

pytestmark = pytest.mark.slow


def cell(row="a", method="one", run=0, **result):
    return {"kind": "cell", "row": row, "method": method, "run": run, **result}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "deep" / "toy.jsonl")


def test_what_is_appended_is_read(store):
    assert store.read() == []
    records = [cell(metrics={"error": 1.5}), {"kind": "choice", "text": "ü\n"}]
    for record in records:
        store.append(record)
    assert store.read() == records
    assert len(store.path.read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_line_cut_short_loses_nothing_else(store, cut):
    """As a killed process leaves it; the next record has a line of its own."""
    first, second, third = (cell(run=run, metrics={"error": run}) for run in range(3))
    store.append(first)
    store.append(second)
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[:-cut])
    expected = [first] if cut > 1 else [first, second]  # 1: the newline only
    assert store.read() == expected
    store.append(third)
    assert store.read() == [*expected, third]


def test_lines_that_are_no_records_are_skipped(store):
    store.append(cell())
    with store.path.open("a") as file:
        file.write("\n[1, 2]\n12\nnull\n")
    assert store.read() == [cell()]


def test_cells_failures_and_choices():
    records = [
        origin(),
        {"kind": "choice", "row": "a", "parameters": {"one": 1, "two": 2}},
        {"kind": "choice", "row": "a", "parameters": {"two": 3}, "quick": False},
        {"kind": "choice", "row": "a", "parameters": {"two": 4}, "quick": True},
        {"kind": "choice", "row": "a", "failure": "ValueError: no", "quick": False},
        cell(failure="ValueError: no"),
        cell(run=1, failure="ValueError: never"),
        cell(metrics={"error": 1.0}),
        cell(metrics={"error": 2.0}),
    ]
    assert cells(records) == {("a", "one", 0): records[-1]}
    assert failures(records) == {("a", "one", 1): "ValueError: never"}
    assert choices(records, quick=False) == {"a": {"one": 1, "two": 3}}
    assert choices(records, quick=True) == {"a": {"one": 1, "two": 4}}


def test_results_of_other_code_are_known(store):
    assert not has_other_code([origin(), cell()])
    assert has_other_code([origin(), origin() | {"code": "0123"}])
    store.append(cell())
    store.set_aside()
    assert store.read() == []
    assert Store(f"{store.path}.old").read() == [cell()]
    store.set_aside()  # nothing to set aside: what was is kept
    assert Store(f"{store.path}.old").read() == [cell()]


def test_processes_may_append_side_by_side(store):
    """Long records, which a buffer would write in parts."""
    records = [
        cell(run=run, metrics={"course": [float(run)] * 3000}) for run in range(8)
    ]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(Store(store.path).append, records))
    found = sorted(store.read(), key=lambda record: record["run"])
    assert found == records


def test_origin_says_when_and_with_what():
    found = json.loads(json.dumps(origin()))
    assert found["kind"] == "origin"
    assert set(found["versions"]) >= {"widemargin", "numpy", "scikit-learn"}
    assert found["processors"] >= 1


@pytest.fixture(autouse=True)
def no_calls():
    CALLS.clear()


def keys(store):
    return set(cells(store.read()))


EVERY = {(row, method, run) for row in "ab" for method in ("one", "two")
         for run in range(3)}  # fmt: skip


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_cell_is_measured_once(tmp_path, n_jobs):
    store = run_benchmark(toy(), tmp_path, n_jobs=n_jobs)
    assert store.path == tmp_path / "toy.jsonl"
    found = cells(store.read())
    assert set(found) == EVERY
    for (row, method, run), record in found.items():
        expected = draw(toy().row(row), run)[2] + (0.5 if method == "two" else 0.0)
        assert record["metrics"]["error"] == float(f"{expected:.6g}")
    n_records = len(store.read())
    run_benchmark(toy(), tmp_path, n_jobs=n_jobs)
    assert len(store.read()) == n_records  # nothing was left to do


def test_interrupted_run_goes_on_where_it_stopped(tmp_path):
    def stop(n_done, n_all):
        assert n_all == 12
        if n_done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_benchmark(toy(), tmp_path, progress=stop)
    n_before = len(keys(Store(tmp_path / "toy.jsonl")))
    assert n_before == 5
    CALLS.clear()
    told = []
    store = run_benchmark(
        toy(), tmp_path, progress=lambda *numbers: told.append(numbers)
    )
    assert keys(store) == EVERY
    assert len(CALLS) == 12 - n_before
    assert told == [(n, 7) for n in range(8)]


def test_methods_share_a_draw(tmp_path):
    drawn = []

    def counted(row, run):
        drawn.append((row.name, run))
        return draw(row, run)

    run_benchmark(toy(draw=counted), tmp_path)
    assert drawn == [(row, run) for row in "ab" for run in range(3)]


def test_quick_run_is_a_part(tmp_path):
    store = run_benchmark(toy(), tmp_path, quick=True)
    assert keys(store) == {("b", "one", 0), ("b", "two", 0)}
    assert store.read()[0]["quick"] is True


def test_full_run_does_not_take_the_draws_of_a_quick_one(tmp_path):
    benchmark = toy(quick=Quick(rows=("a",), options={"seed": 5}))
    found = {}
    for quick in (True, False):
        store = run_benchmark(benchmark, tmp_path / str(quick), quick=quick)
        found[quick] = cells(store.read())["a", "one", 0]["metrics"]["error"]
    assert found[True] != found[False] == float(f"{draw(toy().row('a'), 0)[2]:.6g}")


def test_parameters_are_chosen_once_and_told(tmp_path):
    store = run_benchmark(toy(choose=choose), tmp_path)
    assert choices(store.read(), quick=False) == {
        "a": {"one": 0.0, "two": 0.0},
        "b": {"one": 10.0, "two": 10.0},
    }
    values = {k: r["metrics"]["error"] for k, r in cells(store.read()).items()}
    for run in range(3):
        drawn = draw(toy().row("b"), run)[2]
        assert values["b", "two", run] == float(f"{drawn + 10.5:.6g}")
    longer = toy(choose=choose, methods=(*toy().methods, number("three")))
    store = run_benchmark(longer, tmp_path)
    parameters = [r["parameters"] for r in store.read() if r["kind"] == "choice"]
    assert parameters[2:] == [{"three": 0.0}, {"three": 10.0}]


def test_failure_of_a_cell_ends_no_other_and_is_tried_again(tmp_path):
    methods = Method("bad", fail), number("one")
    store = run_benchmark(toy(methods=methods), tmp_path)
    assert {key[1] for key in keys(store)} == {"one"}
    found = failures(store.read())
    assert found["a", "bad", 0] == "ValueError: no luck with a"
    assert len(found) == 6
    repaired = number("bad"), number("one")
    store = run_benchmark(toy(methods=repaired), tmp_path)
    assert failures(store.read()) == {}
    assert len(keys(store)) == 12


def test_what_is_not_there_is_left_out(monkeypatch, tmp_path):
    (tmp_path / "sets").mkdir()
    monkeypatch.setenv("WIDEMARGIN_DATA", str(tmp_path / "sets"))
    rows = Row("a", ("usps",), options={"seed": 0}), Row("b", options={"seed": 1})
    methods = number("one", needs=("no_such_module",)), number("two")
    benchmark = toy(rows=rows, methods=methods)
    assert missing_data(rows[0]) == ["usps"]
    assert missing_modules(methods[0]) == ["no_such_module"]
    assert plan(benchmark, quick=False) == ([rows[1]], [methods[1]], 3)
    store = run_benchmark(benchmark, tmp_path)
    assert keys(store) == {("b", "two", run) for run in range(3)}
    monkeypatch.delenv("WIDEMARGIN_DATA")
    assert missing_data(rows[0]) == ["usps"]


def test_row_without_parameters_ends_no_other(tmp_path):
    def choose_some(row, methods, quick):
        if row.name == "a":
            raise MemoryError("too much")
        return dict.fromkeys(methods, 1.0)

    store = run_benchmark(toy(choose=choose_some), tmp_path)
    assert {key[0] for key in keys(store)} == {"b"}
    found = failures(store.read())
    assert set(found.values()) == {"no parameters were chosen"}
    assert len(found) == 6
    assert keys(run_benchmark(toy(choose=choose), tmp_path)) == EVERY


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")
def test_memory_is_that_of_a_method_in_a_fresh_process():
    """Of a real benchmark, which a child knows; what we hold does not count."""
    from widemargin_bench import find_benchmark

    held = np.ones(60_000_000)  # 458 MiB, in this process only
    benchmark = find_benchmark("defaults")
    row = benchmark.row("digits")
    mib = peak_memory(benchmark, row, benchmark.method("LaplacianRLSC"), 0, None)
    assert 20 < mib < 300 < held.nbytes / 2**20  # a Gram matrix of 1797 rows has 25
    with pytest.warns(UserWarning, match="memory was not measured"):
        assert peak_memory(toy(), toy().row("a"), toy().method("one"), 0, None) is None


def test_memory_is_measured_of_the_first_runs(tmp_path, monkeypatch):
    measured = []

    def noting(benchmark, row, method, run, parameters):
        measured.append((row.name, method.name, run))
        return 1.5

    monkeypatch.setattr("widemargin_bench.runner.peak_memory", noting)
    run_benchmark(toy(), tmp_path)
    assert measured == []
    for _ in range(2):  # nothing is left to do the second time
        store = run_benchmark(toy(), tmp_path, memory=True)
        assert sorted(measured) == [(r, m, 0) for r in "ab" for m in ("one", "two")]
    assert cells(store.read())["a", "one", 0]["peak_mib"] == 1.5


def test_records_are_plain(tmp_path):
    store = run_benchmark(toy(), tmp_path)
    for record in store.read():
        assert json.loads(json.dumps(record)) == record


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")
def test_memory_is_that_of_the_options_of_the_run():
    """Of 300 rows in place of 1,000."""
    from widemargin_bench import find_benchmark

    benchmark = find_benchmark("few-labels").part(rows=["two moons, 10 labels"])
    (row,) = benchmark.plan(quick=True)[0]
    method = benchmark.method("LaplacianSVC")
    few = peak_memory(benchmark, row, method, 0, None)
    assert 0 <= few < peak_memory(benchmark, benchmark.rows[0], method, 0, None)


def test_digest_covers_the_library_and_the_benchmarks(tmp_path):
    """Results are those of other code if either of them has changed."""
    folders = tmp_path / "library", tmp_path / "benchmarks"
    digests = set()
    names = [folder.name for folder in runner.SOURCES]
    assert names == ["widemargin", "widemargin_bench"]
    assert runner.code_digest() == runner.code_digest(runner.SOURCES)
    for folder in (None, *folders):
        if folder is not None:
            folder.mkdir()
            (folder / "module.py").write_text("changed = True")
        runner.code_digest.cache_clear()
        digests.add(runner.code_digest(folders))
    assert len(digests) == 3
