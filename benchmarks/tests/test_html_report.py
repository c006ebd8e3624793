import builtins
import re
from dataclasses import replace

import pytest
from pages import Page, full_benchmark, page_of, results_of
from toys import number, toy

from widemargin_bench import Method, Metric, Paper, Quick, Row, results, run_benchmark
from widemargin_bench.catalog import Figure
from widemargin_bench.html_report import make_site, write_report, write_site
from widemargin_bench.results import read_folder, summarize_benchmark
from widemargin_bench.runner import Store


@pytest.fixture
def full():
    """A benchmark that shows all there is to show."""
    return full_benchmark()


@pytest.fixture
def catalog(monkeypatch):
    """Puts benchmarks in the place of all that there are."""

    def put(*benchmarks):
        found = {benchmark.name: benchmark for benchmark in benchmarks}
        monkeypatch.setattr(results, "list_names", lambda: list(found))
        monkeypatch.setattr(results, "find_benchmark", found.__getitem__)
        monkeypatch.setattr(results, "read_published", lambda name: {})

    return put


@pytest.mark.parametrize("picture", [None, "lines", "growth"])
def test_page_is_well_formed_and_asks_for_nothing(full, picture):
    text = page_of(replace(full, picture=picture), memory=True)
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    for _, name, value in page.attributes:
        if name in ("src", "href", "xlink:href", "action", "data"):
            assert value.startswith("#")
            assert value[1:] in page.ids
    assert not re.search(r"https?:|@import|url\((?!#)|<script|<link", text)


def test_headline_is_said_in_words(full):
    text = Page(page_of(full, {("a 10", "one", "error"): Figure(9.0)})).text
    assert "its own methods: ours is better for 1, equal" in text
    assert "A. Author. A title. 2001." in text
    assert "2026-03-04 05:06" in text
    assert "numpy 9.8.7" in text
    assert "A remark." in text
    assert "quick run" not in text


def test_every_table_and_picture_of_a_quick_run_says_so(full):
    note = "quick run: 1 of 3 runs, 6 of 6 rows"
    for picture in (None, "lines"):
        records = results_of(replace(full, picture=picture), quick=True, runs=1)
        for record in records:
            record["peak_mib"] = 3.0
        text = page_of(replace(full, picture=picture), records=records)
        # tables, and pictures or a ranking; one run gives the headline no table
        n_tables = text.count("<table>")
        n_figures = 1
        assert n_tables == 5  # errors, seconds, memory, counts and differences
        assert text.count(note) == n_tables + n_figures
        assert "This is a quick run" in text


@pytest.mark.parametrize("name", ["<b>bold</b>", 'a "quoted" & <i>', "</table><p>"])
def test_names_are_escaped_everywhere(name):
    benchmark = toy(
        name="toy",
        paper=Paper(name, name),
        source=name,
        title=name,
        protocol=name,
        metrics=(Metric("error", name), Metric("fit_seconds", name + "2")),
        rows=tuple(Row(f"{name}{x}", group=name, x=x) for x in (1, 2, 3)),
        methods=(
            number(name, extra_input=name + "k"),
            number(name + "p", kind="peer", extra_input=name + "k"),
        ),
        quick=Quick(),
        remarks=(name,),
        picture="lines",
        x_label=name,
    )
    records = results_of(benchmark)
    records[3]["not_converged"] = 1
    records.append({"kind": "cell", "row": f"{name}1", "method": name, "run": 9,
                    "failure": name})  # fmt: skip
    nothing = summarize_benchmark(benchmark, [], {})
    text = page_of(benchmark, records=records, not_run=[nothing])
    page = Page(text)
    assert name not in text
    assert page.text.count(name) > 10


def test_report_of_an_empty_folder_says_so(tmp_path, catalog):
    catalog(toy(title="Not yet"))
    write_report(tmp_path, tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "There are no results yet" in page.text
    assert "Not yet" in page.text


@pytest.mark.slow
def test_report_of_what_ran_names_what_did_not(tmp_path, catalog):
    """From real records, the last of which is cut short."""
    benchmark = toy(methods=(number("one"), Method("bad", lambda *_: 1 / 0)))
    catalog(benchmark, toy(name="other", title="Never"))
    run_benchmark(benchmark, tmp_path)
    path = tmp_path / "toy.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    summaries, not_run = read_folder(tmp_path)
    assert [s.benchmark.name for s in summaries] == ["toy"]
    assert [s.benchmark.name for s in not_run] == ["other"]
    write_report(tmp_path, tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "ZeroDivisionError" in page.text
    assert "Never" in page.text
    assert len(Store(path).read()) == 12  # origin and cells but one


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
        ["toy", "the paper's own methods", "1", "1", "0", "0", "", ""],
        ["", "z", "6", "6", "0", "0", "", ""],
    ]


def test_counts_without_a_verdict_are_said_in_words_alone():
    benchmark = full_benchmark()
    page = Page(page_of(benchmark, records=results_of(benchmark, runs=2)))
    assert lines_of(page) == []
    assert "There is no verdict on 6 comparisons with other methods," in page.text


def test_failures_and_limits_are_named(full):
    records = results_of(full)
    records[1]["not_converged"] = 1
    for record in records:
        if (record.get("row"), record.get("method")) == ("b 40", "z"):
            del record["metrics"]
            record["failure"] = "ValueError: no luck"
    page = Page(page_of(full, records=records))
    assert "z on b 40 failed in runs 1, 2, 3: ValueError: no luck" in page.text
    assert "one hit a limit of iterations on a 10 (1)." in page.text
    assert "3 runs failed and are not counted." in page.text
    assert "failed" in page.cells
    assert "1.5†±0.5" in page.cells


def test_courses_are_drawn_without_a_table():
    benchmark = toy(picture="course")
    records = results_of(benchmark)
    for record in records[1:]:
        record["metrics"] = {"error": [3.0, 2.0, 1.0]}
    text = page_of(benchmark, records=records)
    Page(text)
    assert text.count('<svg class="picture"') == 2
    assert "<table>" not in text


def test_page_without_matplotlib_says_what_to_install(full, monkeypatch):
    load = builtins.__import__

    def refuse(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    for picture in (None, "lines"):
        page = Page(page_of(replace(full, picture=picture)))
        assert "pip install matplotlib" in page.text
        assert "1.5±0.5" in page.cells


def test_ranking_names_what_is_left_out():
    methods = (number("one", extra_input="test rows"), number("two", kind="ours"),
               number("z", kind="peer"))  # fmt: skip
    rows = tuple(Row(name) for name in "abc")
    text = Page(page_of(toy(rows=rows, methods=methods, quick=Quick()))).text
    assert "Mean ranks over the 3 sets with results of all methods" in text
    assert "Left out, since they use other input: one." in text


def test_few_sets_are_not_ranked():
    rows = tuple(Row(name, set="x") for name in "abc")
    assert "Mean ranks" not in Page(page_of(toy(rows=rows, quick=Quick()))).text


def test_ours_stands_beside_the_paper_with_difference_and_sign(full):
    published = {
        ("a 10", "one", "error"): Figure(9.0, 0.1),
        ("a 20", "one", "error"): Figure(1.4),
        ("a 40", "one", "error"): Figure(0.1),
        ("a 10", "old", "error"): Figure(7.25, 0.5),
    }
    cells = [" ".join(cell.split()) for cell in Page(page_of(full, published)).cells]
    at = cells.index("a 10")
    assert cells[at + 1 : at + 4] == ["1.5±0.5", "9.0±0.1", "−7.5±0.4 ✓"]
    assert "+0.1±0.4 ≈" in cells
    assert "+1.4±0.4 ✗" in cells
    assert "7.2±0.5" in cells
    assert {"in the paper only", "peers on the same draws"} <= set(cells)


def test_baselines_stand_apart_from_methods_of_the_paper():
    methods = (number("one"), number("base", kind="baseline"), number("two"))
    cells = Page(page_of(full_benchmark(methods=methods))).cells
    at = cells.index("methods of the paper")
    assert cells[at + 1] == "baselines of the paper"
    assert cells[at + 3 : at + 6] == ["one", "two", "base"]


def test_footnotes_say_what_methods_are_told(full):
    methods = (
        number("one", extra_input="test rows"),
        number("two", extra_input="true <shares>"),
        number("z", kind="ours", extra_input="test rows"),
    )
    page = Page(page_of(full_benchmark(methods=methods)))
    assert {"onea", "twob", "za"} <= set(page.cells)  # letters are raised
    assert (
        "These methods use more than the labels: a test rows; b true <shares>."
        in page.text
    )
    assert "Told more" not in Page(page_of(full)).text


def test_too_few_runs_have_neither_color_nor_sign(full):
    published = {("a 10", "one", "error"): Figure(9.0)}
    text = page_of(full, published, results_of(full, runs=2))
    page = Page(text)
    assert '<td class="none" title="too few runs">−7.8 </td>' in text
    assert '<td class="first none" title="too few runs">−1.0 </td>' in text
    assert "6 with too few runs" in page.cells
    classes = {v for tag, name, v in page.attributes if (tag, name) == ("td", "class")}
    assert not any(re.search("better|equal|worse", value) for value in classes)


def site_of(*benchmarks):
    found = [summarize_benchmark(b, results_of(b), {}) for b in benchmarks]
    return make_site(found)


def test_site_has_a_page_per_paper_and_one_for_our_own(full):
    other = replace(full, name="other", paper=Paper("N. Body et al. 1999", "A book."))
    own = replace(full, name="own", paper=None)
    pages = site_of(full, other, own)
    assert next(iter(pages)) == "index.html"
    assert {"n-body-et-al-1999.html", "our-own-tables.html"} < set(pages)
    assert "A book." in Page(pages["n-body-et-al-1999.html"]).text
    assert "A book." not in Page(pages["our-own-tables.html"]).text


def test_links_of_a_site_lead_somewhere(full):
    """The first page lists every table, before anything else."""
    own = replace(full, name="own", paper=None)
    pages = {name: Page(text) for name, text in site_of(full, own).items()}
    linked = set()
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids))
        for _, attribute, value in page.attributes:
            if attribute == "href":
                target, _, part = value.partition("#")
                assert not part or part in pages[target or name].ids
                linked.add((name, value))
    assert ("index.html", f"our-own-tables.html#table-{own.name}") in linked


def test_site_is_written(tmp_path, catalog):
    catalog(toy(name="one"))
    run_benchmark(toy(name="one"), tmp_path)
    tables = write_site(tmp_path, tmp_path / "new" / "site")
    written = {path.name for path in (tmp_path / "new" / "site").iterdir()}
    assert written == {"index.html", *tables}
    ((summary,),) = tables.values()
    assert summary.benchmark.name == "one"


def test_site_without_results_says_how_to_get_them():
    (page,) = make_site([]).values()
    assert "widemargin bench run" in Page(page).text
