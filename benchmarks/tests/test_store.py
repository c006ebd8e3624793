import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from widemargin_bench.store import (
    Store,
    cells,
    choices,
    failures,
    has_other_code,
    origin,
)


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
