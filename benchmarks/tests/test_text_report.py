import pytest
from rich.console import Console
from toys import number, records_of, toy

from widemargin_bench.catalog import Figure
from widemargin_bench.results import summarize_benchmark
from widemargin_bench.text_report import print_summaries


@pytest.fixture
def console():
    return Console(record=True, width=120)


def test_nothing_to_summarize_is_said(console):
    print_summaries([], [], console)
    assert "There are no results yet" in console.export_text()


def test_summary_ends_with_the_headline(console):
    methods = (number("[one]", extra_input="[test] rows"),
               number("z", kind="peer", extra_input="[test] rows"))  # fmt: skip
    benchmark = toy(methods=methods)
    records = [{"kind": "origin", "quick": True}]
    records += records_of({("b", name): [1.0, 2.0, 3.0] for name in ("[one]", "z")})
    records += records_of({("a", name): [1.0] for name in ("[one]", "z")})
    summary = summarize_benchmark(benchmark, records,
                                  {("b", "[one]", "error"): Figure(9.0)})  # fmt: skip
    never = summarize_benchmark(toy(name="never"), [], {})
    print_summaries([summary], [never], console)
    text = console.export_text()
    assert "quick run: 1 to 3 of 3 runs, 2 of 2 rows" in text
    assert "[one]" in text
    assert "[test] rows" in text
    assert "Not run: never." in text
    assert text.index("headline") > text.index("Not run")
    assert "better for 1" in text
    assert "against z: 0 better 1 equal 0 worse (1 with too few runs)" in text
