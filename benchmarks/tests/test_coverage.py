"""The page of all tables is that of the recorded results."""

import pytest
from recorded import ROOT, read_recorded

from widemargin_bench import find_benchmark, list_names
from widemargin_bench.coverage import NOTHING, PAPERS, beside, write_page

ENTRIES = [entry for entries in PAPERS.values() for entry in entries]


def test_page_is_computed_from_the_recorded_results():
    """If it fails: python -m widemargin_bench.coverage writes the page."""
    page = (ROOT / "docs" / "every_table.md").read_text()
    assert page == write_page(read_recorded())


def test_every_benchmark_of_a_paper_has_a_line():
    named = {entry.benchmark for entry in ENTRIES}
    own = {name for name in list_names() if find_benchmark(name).paper is not None}
    assert own <= named


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: f"{e.item}, {e.about[:20]}")
def test_a_line_has_figures_or_a_reason(entry):
    assert entry.figures is not None or entry.reason
    if entry.benchmark:
        assert entry.benchmark in list_names()


def test_figures_are_means_over_the_rows_in_print():
    """coil20(b) with other classes is not in print, and does not count."""
    ours, printed, peer = beside("laplacian-accuracy", "LapSVM Newton")(read_recorded())
    assert ours == "10.4 % (LapSVM Newton; 6 rows)"
    assert printed == "9.7 %"
    assert peer.endswith("(LabelSpreading)")


def test_seconds_are_not_compared_with_supervised_peers():
    figures = beside("s2rlsc-figure8", "S2RLSC", digits=2, unit="s")(read_recorded())
    assert figures[2] == NOTHING
