import pytest

from widemargin_bench import find_benchmark, list_names
from widemargin_bench.catalog import Figure, read_published

PRINTED = [name for name in list_names() if read_published(name)]


def test_benchmark_without_printed_figures():
    assert read_published("defaults") == {}


@pytest.mark.parametrize("name", PRINTED)
def test_figures_belong_to_the_benchmark(name):
    benchmark = find_benchmark(name)
    rows = {row.name for row in benchmark.rows}
    metrics = {metric.name for metric in benchmark.metrics}
    figures = read_published(name)
    assert {row for row, _, _ in figures} <= rows
    assert {metric for _, _, metric in figures} <= metrics
    methods = {method.name for method in benchmark.methods if method.kind == "paper"}
    assert methods & {method for _, method, _ in figures}  # some stand side by side


def test_figures_are_read_with_their_spread(monkeypatch, tmp_path):
    text = "row,method,metric,value,sd\na,one,error,1.5,0.2\na,two,error,2,\n"
    (tmp_path / "published").mkdir()
    path = tmp_path / "published" / "toy.csv"
    path.write_text(text)
    monkeypatch.setattr(
        "widemargin_bench.catalog.resources.files", lambda package: tmp_path
    )
    assert read_published("toy") == {
        ("a", "one", "error"): Figure(1.5, 0.2),
        ("a", "two", "error"): Figure(2.0, None),
    }
    path.write_text(text + "a,one,error,3,\n")
    with pytest.raises(ValueError, match=r"toy.csv has .* twice"):
        read_published("toy")
