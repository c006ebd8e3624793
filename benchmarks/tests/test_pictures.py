import builtins
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from toys import number, toy

from widemargin_bench import Quick, Row
from widemargin_bench.benchmark import ERROR, SECONDS
from widemargin_bench.catalog import Figure
from widemargin_bench.pictures import (
    COLORS,
    Styles,
    draw,
    draw_ranking,
    mean_course,
)
from widemargin_bench.results import summarize_benchmark
from widemargin_bench.statistics import rank_table

pytest.importorskip("matplotlib")


def summary_of(picture, *, metric=ERROR, groups="ab", published=(), name="toy"):
    """Curves of two methods over three rows a group."""
    rows = tuple(Row(f"{g}{x}", group=g, x=x) for g in groups for x in (10, 20, 1000))
    benchmark = toy(name=name, rows=rows, quick=Quick(), picture=picture,
                    metrics=(metric,), x_label="labels & more")  # fmt: skip
    records = []
    for row in rows:
        for method in ("one", "two"):
            value = row.x**1.5 if method == "one" else row.x
            value = [8.0, 4.0, 2.0] if picture == "course" else value
            cell = {"kind": "cell", "row": row.name, "method": method}
            cell["metrics"] = {metric.name: value}
            records += [cell | {"run": run} for run in range(2)]
    return summarize_benchmark(benchmark, records, dict(published))


def texts(svg):
    """All texts of a picture; it must be well-formed."""
    return [element.text for element in ElementTree.fromstring(svg).iter("text")]


@pytest.fixture
def styles():
    return Styles.of([toy()])


@pytest.mark.parametrize(
    ("picture", "metric", "n_pictures"),
    [("lines", ERROR, 1), ("growth", SECONDS, 1), ("course", ERROR, 3)],
)
def test_pictures_are_told_in_text(picture, metric, n_pictures, styles):
    """Text stays text: names of methods and axes can be read and searched."""
    pictures = draw(summary_of(picture, metric=metric, groups="a"), styles)
    assert len(pictures) == n_pictures
    for drawn in pictures:
        said = texts(drawn.svg)
        assert {"labels & more", metric.label} <= set(said)
        assert any(text.startswith("one") for text in said)
        assert drawn.title.startswith("a")


def test_legend_of_growth_has_the_exponents(styles):
    (drawn,) = draw(summary_of("growth", metric=SECONDS, groups="a"), styles)
    said = texts(drawn.svg)
    assert "one: exponent 1.50 ± 0.00" in said
    assert "two: exponent 1.00 ± 0.00" in said


def test_printed_figures_are_drawn_beside_ours(styles):
    published = {("a10", "one", "error"): Figure(3.0)}
    (drawn,) = draw(summary_of("lines", groups="a", published=published), styles)
    assert "printed in the paper" in texts(drawn.svg)
    (plain,) = draw(summary_of("lines", groups="a"), styles)
    assert "printed in the paper" not in texts(plain.svg)


def test_nothing_is_drawn_that_is_not_asked_for_or_not_there(styles):
    assert draw(summary_of(None), styles) == []
    nothing = summarize_benchmark(summary_of("lines").benchmark, [], {})
    assert draw(nothing, styles) == []


def test_names_of_parts_differ_among_the_pictures_of_a_page(styles):
    pictures = [
        picture
        for groups, name in (("ab", "first"), ("a", "second"))
        for picture in draw(summary_of("lines", groups=groups, name=name), styles)
    ]
    ids = [re.findall(r'\bid="([^"]+)"', picture.svg) for picture in pictures]
    flat = [name for of in ids for name in of]
    assert len(flat) == len(set(flat)) > 0
    for picture, of in zip(pictures, ids, strict=True):
        used = re.findall(r'(?:href="#|url\(#)([^")]+)', picture.svg)
        assert used
        assert set(used) <= set(of)  # nothing points to another picture, or nowhere


def test_pictures_take_colors_and_fonts_of_the_page(styles):
    (drawn,) = draw(summary_of("lines", groups="a"), styles)
    assert "currentColor" in drawn.svg
    assert f"var(--series-1, {COLORS[0]})" in drawn.svg
    assert "http" not in drawn.svg
    assert "<style" not in drawn.svg
    assert "DejaVu" not in drawn.svg


def test_names_are_escaped_and_no_formulas():
    name = "<b>$x_1$ & co</b>"
    ranking = rank_table(np.arange(12.0).reshape(4, 3), [name, "two", "three"])
    methods = tuple(number(n) for n in (name, "two", "three"))
    picture = draw_ranking(ranking, "toy", Styles.of([toy(methods=methods)]))
    assert f"{name}  1.00" in texts(picture.svg)
    assert "<b>" not in picture.svg


def test_ranking_shows_ranks_and_the_critical_distance():
    names = [f"method {i}" for i in range(5)]
    ranking = rank_table(np.arange(60.0).reshape(12, 5), names)
    styles = Styles.of([toy(methods=tuple(map(number, names)))])
    said = texts(draw_ranking(ranking, "toy", styles).svg)
    assert f"critical distance {ranking.critical_distance:.2f}" in said
    assert sum(any(name in text for text in said) for name in names) == 5


def test_methods_of_one_table_look_different():
    """And alike in all tables."""
    names = [f"m{i}" for i in range(20)]
    tables = [toy(methods=tuple(map(number, names[i : i + 12]))) for i in (0, 4, 8)]
    styles = Styles.of(tables)
    for table in tables:
        of = [m.name for m in table.methods]
        assert len({(styles.color(n), styles.marker(n)) for n in of}) == len(of)
        assert len({styles.numbers[n] for n in of[: len(COLORS)]}) == len(COLORS)


def test_runs_that_have_ended_stay_where_they_were():
    course = mean_course([np.array([4.0, 2.0]), np.array([6.0, 4.0, 0.0])])
    assert course.tolist() == [5.0, 3.0, 1.0]


def test_missing_matplotlib_says_what_to_install(monkeypatch, styles):
    load = builtins.__import__

    def refuse(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        draw(summary_of("lines"), styles)
