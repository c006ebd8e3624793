"""Statements of the tables, on the results that the repository keeps."""

import re

import pytest
from recorded import RESULTS, read_recorded

from widemargin_bench import find_benchmark, list_names
from widemargin_bench.results import summarize_benchmark
from widemargin_bench.runner import Store
from widemargin_bench.statements import (
    FAILS,
    HOLDS,
    IN_PART,
    NOT_JUDGED,
    Results,
    judge_claim,
    make_remarks,
)

BENCHMARKS = [find_benchmark(name) for name in list_names()]
CLAIMS = list(dict.fromkeys(c for b in BENCHMARKS if b.paper for c in b.paper.claims))
MEASURED = [b for b in BENCHMARKS if (RESULTS / f"{b.name}.jsonl").exists()]


@pytest.fixture(scope="module")
def results():
    return read_recorded()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.judge.__name__)
def test_claims_are_judged_by_figures(results, claim):
    verdict, evidence = claim.judge(results)
    assert verdict in (HOLDS, IN_PART, FAILS)
    assert re.search(r"\d", evidence)
    assert evidence.endswith(".")


@pytest.mark.parametrize("benchmark", MEASURED, ids=lambda benchmark: benchmark.name)
def test_remarks_are_made_from_figures(results, benchmark):
    assert len(make_remarks(benchmark, results)) == len(benchmark.remarks)
    for remark in filter(callable, benchmark.remarks):
        assert re.search(r"\d", remark(results))


def test_without_results_nothing_is_claimed():
    nothing = Results([])
    assert {judge_claim(claim, nothing) for claim in CLAIMS} == {NOT_JUDGED}
    for benchmark in BENCHMARKS:
        said = make_remarks(benchmark, nothing)
        assert said == [text for text in benchmark.remarks if not callable(text)]


def test_defaults_have_the_same_errors_in_tables_that_share_splits(results):
    """They are recorded with one version: other defaults would not agree."""
    tables = [f"laplacian-{name}" for name in ("accuracy", "early-stopping")]
    tables.append("laplacian-newton-weights")
    for row in results.rows(tables[-1]):
        cells = [results.cell(name, row, "LaplacianSVC").values for name in tables]
        assert cells[0] == cells[1] == cells[2], row


def test_three_statements_that_were_wrong_in_release_0_1(results):
    """Figures in sentences, and a shortcut that belongs to another paper."""
    said = {claim.judge.__name__: claim.judge(results)[1] for claim in CLAIMS}
    assert "minus that of the SVM is 0.0 to +1.6 points" in said["above_the_svm"]
    assert "of the two is 0.32 to 0.82." in said["shaking_or_descent"]
    local_search = find_benchmark("s2rlsc-figure8").paper
    assert not any("constant time" in claim.text for claim in local_search.claims)
    (remark,) = find_benchmark("umc-figure3").remarks
    assert "constant time (Lemma 2)" in remark


def test_figures_in_fixed_remarks_are_not_ours():
    """They are figures of the paper, or settings; our results are computed."""
    fixed = {r for b in BENCHMARKS for r in b.remarks if isinstance(r, str)}
    for remark in fixed:
        if re.search(r"\d", remark):
            assert re.search(r"paper|print|C = 10|D = 2", remark), remark


@pytest.mark.parametrize("benchmark", MEASURED, ids=lambda benchmark: benchmark.name)
def test_recorded_results_have_their_place(benchmark):
    """Rows, methods and metrics of the records are those of the benchmark."""
    records = Store(RESULTS / f"{benchmark.name}.jsonl").read()
    cells = [record for record in records if record["kind"] == "cell"]
    rows, methods = (
        {item.name for item in getattr(benchmark, kind)} for kind in ("rows", "methods")
    )
    assert {cell["row"] for cell in cells} <= rows
    assert {cell["method"] for cell in cells} <= methods
    assert not summarize_benchmark(benchmark, records, {}).is_quick
