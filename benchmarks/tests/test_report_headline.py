from pages import Page, full_benchmark, page_of, results_of

from widemargin_bench.published import Figure


def lines_of(page):
    """Lines of the first table without their names."""
    cells = page.cells[: page.cells.index("methods of the paper")]
    return [cells[i : i + 8] for i in range(0, len(cells) - 7, 8)]


def test_counts_stand_beside_what_they_are_against():
    published = {("a 10", "one", "error"): Figure(9.0)}
    head, *lines = lines_of(Page(page_of(full_benchmark(), published)))
    assert head[1:7] == ["against", "verdicts", "better ✓", "equal ≈", "worse ✗",
                         "too few runs"]  # fmt: skip
    assert lines == [
        ["toy", "the paper, its own methods", "1", "1", "0", "0", "", ""],
        ["", "z", "6", "6", "0", "0", "", ""],
    ]


def test_counts_without_a_verdict_are_said_in_words_alone():
    benchmark = full_benchmark()
    page = Page(page_of(benchmark, records=results_of(benchmark, runs=2)))
    assert lines_of(page) == []
    assert "for fewer than 3 runs: 6 with peers." in page.text
