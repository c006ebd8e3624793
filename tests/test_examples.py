import runpy
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("pandas")
FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(FOLDER.glob("plot_*.py"))


@pytest.fixture
def plt():
    """Pyplot that opens no window and leaves no figure open."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.close("all")
    yield plt
    plt.close("all")


@pytest.mark.skipif(not EXAMPLES, reason="installed without the examples")
def test_the_gallery_is_large_enough_and_has_a_header():
    assert len(EXAMPLES) >= 12
    assert (FOLDER / "GALLERY_HEADER.rst").exists()


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_draws(path, plt):
    """Every example runs without a warning, draws, and says what its picture shows."""
    runpy.run_path(str(path), run_name="__main__")
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    for figure in figures:
        figure.canvas.draw()
        assert any(ax.get_title() for ax in figure.axes) or figure.get_suptitle()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_begins_with_a_title(path):
    """As sphinx-gallery wants it: a docstring with an underlined title and a text."""
    title, line, *text = path.read_text().split('"""')[1].strip().splitlines()
    assert line == "=" * len(title)
    assert any(text)
