"""The developer tools in `tools/` count and compare what they say."""

import importlib
import json
import sys
from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import make_moons

import widemargin

crossings = pytest.importorskip("crossings", reason="installed without the tools")
versus = pytest.importorskip("versus", reason="installed without the tools")

PYPROJECT = """
[tool.importlinter]
root_package = "house"
[[tool.importlinter.contracts]]
type = "forbidden"
[[tool.importlinter.contracts]]
type = "layers"
containers = ["house"]
layers = ["roof", "(left) | right", "yin : yang", "cellar"]
"""
MODULES = {
    "cellar": "def apply(f, x):\n    return f(x)\n\ndef drain(items):\n"
    "    return [item for item in items]",
    "left": "def twice(x):\n    return 2 * x",
    "right": "from house.left import twice\n\ndef four_times(x):\n"
    "    return twice(twice(x))",
    "roof": "from house import cellar, left, right\n\n"
    "def callback(x):\n    return x\n\n"
    "def count_to_two():\n    yield 1\n    yield 2\n\n"
    "def down():\n    return left.twice(1)\n\n"
    "def up():\n    return cellar.apply(callback, 1)\n\n"
    "def up_by_sorting():\n    return cellar.apply(sort, [2, 1])\n\n"
    "def sort(x):\n    return sorted(x, key=left.twice)\n\n"
    "def resumed():\n    return cellar.drain(count_to_two())\n\n"
    "def sideways():\n    return right.four_times(1)",
}


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A package of four layers whose roof calls in every direction."""
    folder = tmp_path / "house"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name, text in MODULES.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("house.roof")
    for name in [name for name in sys.modules if name.partition(".")[0] == "house"]:
        del sys.modules[name]


def names_of(calls):
    """Counts by the last part of module and function."""
    return {
        (str(caller).removeprefix("house."), str(callee).removeprefix("house.")): count
        for (caller, callee), count in calls.items()
    }


def calls_of(action, direction):
    package, ladders = crossings.read_ladders(PYPROJECT)
    calls = crossings.record_calls(action, package)
    return names_of(crossings.calls_that_go(direction, calls, ladders))


class TestLadder:
    @pytest.mark.parametrize(
        ("caller", "callee", "direction"),
        [
            ("house.cellar", "house.roof.tiles", "up"),
            ("house.roof", "house.cellar", None),
            ("house.left.a", "house.right.b", "sideways"),
            ("house.left.a", "house.left.b", None),
            ("house.yin", "house.yang", None),
            ("house.yin", "house.left", "up"),
            ("house", "house.roof", None),
            ("house.cellar", "house.roofing", None),
        ],
    )
    def test_direction_of_a_call(self, caller, callee, direction):
        package, (ladder,) = crossings.read_ladders(PYPROJECT)
        assert package == "house"
        assert ladder.direction(caller, callee) == direction

    def test_contract_without_containers_names_modules_in_full(self):
        ladder = crossings.make_ladder(["a.high", "a.low"])
        assert ladder.direction("a.low.x", "a.high.y") == "up"

    def test_no_layers_is_an_error(self):
        text = PYPROJECT.replace('"layers"', '"independence"')
        with pytest.raises(ValueError, match="no import-linter contract"):
            crossings.read_ladders(text)

    def test_every_public_estimator_has_a_layer(self):
        text = (crossings.ROOT / "pyproject.toml").read_text("utf-8")
        package, ladders = crossings.read_ladders(text)
        assert package == "widemargin"
        for estimator in crossings.public_estimators(widemargin).values():
            assert any(ladder.layer(estimator.__module__) for ladder in ladders)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("name", "most"),  # half of what release 0.1 had
        {
            "FewLabelClassifier": 2301,
            "LabelSearchClassifier": 474,
            "MaxMarginClustering": 860,
            "TransductiveSVC": 522,
        }.items(),
    )
    def test_fits_keep_to_the_layers_and_cross_few_modules(self, name, most):
        package, ladders = crossings.read_ladders(
            (crossings.ROOT / "pyproject.toml").read_text("utf-8")
        )
        calls = crossings.measure(getattr(widemargin, name), ladders, package)
        assert calls.crossings <= most
        assert calls.up == calls.sideways == {}


class TestCalls:
    def test_a_call_down_is_no_call_up(self, house):
        assert calls_of(house.down, "up") == {}

    def test_a_callback_counts_by_where_it_is_defined(self, house):
        assert calls_of(house.up, "up") == {("cellar:apply", "roof:callback"): 1}

    def test_a_generator_counts_each_time_it_is_resumed(self, house):
        ((_, callee), count), *others = calls_of(house.resumed, "up").items()
        assert (callee, count, others) == ("roof:count_to_two", 3, [])

    def test_calls_between_siblings_go_sideways(self, house):
        pair = ("right:four_times", "left:twice")
        assert calls_of(house.sideways, "sideways") == {pair: 2}
        assert calls_of(house.sideways, "up") == {}

    def test_the_caller_is_the_nearest_function_of_the_package(self, house):
        calls = names_of(crossings.record_calls(house.up_by_sorting, "house"))
        assert calls["roof:sort", "left:twice"] == 2

    def test_the_first_call_is_a_crossing_from_outside(self, house):
        calls = crossings.record_calls(house.down, "house")
        assert names_of(calls)[":outside", "roof:down"] == 1
        assert crossings.count_crossings(calls) == 2

    def test_an_earlier_profile_function_comes_back(self, house):
        before = sys.getprofile()
        with pytest.raises(ZeroDivisionError):
            crossings.record_calls(lambda: 1 / 0, "house")
        assert sys.getprofile() is before


class TestCrossingsCommand:
    def test_json_has_the_figures_of_the_estimator(self, capsys):
        code = crossings.main(["--estimators", "SpectralClassifier", "--json"])
        (name, fit), *others = json.loads(capsys.readouterr().out).items()
        assert (code, name, others) == (0, "SpectralClassifier", [])
        assert fit["crossings"] > 2
        assert fit["up"] == sum(pair["calls"] for pair in fit["calls_up"])

    def test_exceeded_limits_give_exit_code_one(self, capsys):
        name = "SpectralClassifier"
        code = crossings.main(["--estimators", name, "--max-crossings", f"{name}=1"])
        written = capsys.readouterr()
        assert code == 1
        assert name in written.out
        assert "crossings, more than 1" in written.err

    def test_limits(self):
        pair = (crossings.Place("a", "f"), crossings.Place("b", "g"))
        fits = {"Some": crossings.FitCalls(5, Counter({pair: 3}))}
        assert crossings.failures(fits, None, {"Some": 5}) == []
        assert crossings.failures(fits, 3, {}) == []
        assert len(crossings.failures(fits, 2, {"Some": 4})) == 2

    @pytest.mark.parametrize(
        "words",
        [["--estimators", "Nope"], ["--max-crossings", "x"]],
        ids=["unknown", "no limit"],
    )
    def test_wrong_words_are_refused(self, words, capsys):
        with pytest.raises(SystemExit, match="2"):
            crossings.main(words)
        assert "error" in capsys.readouterr().err

    @pytest.mark.parametrize("n_classes", crossings.DATA)
    def test_data_have_the_classes(self, n_classes):
        X, y = crossings.DATA[n_classes]()
        assert len(X) == len(y) == crossings.N_ROWS
        assert set(y.tolist()) == {-1, *range(n_classes)}


OTHER_VERSION = """
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

class SpectralClassifier(DummyClassifier):
    pass

class Gone(DummyClassifier):
    pass

class Broken(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise ValueError("broken on purpose")

__all__ = ["SpectralClassifier", "Gone", "Broken"]
"""


@pytest.fixture
def other_src(tmp_path):
    """Another version with a much worse classifier, one more and one that fails."""
    folder = tmp_path / "widemargin"
    folder.mkdir()
    (folder / "__init__.py").write_text(OTHER_VERSION)
    return tmp_path


class TestVersus:
    @pytest.mark.slow
    def test_versions_differ_in_a_fit_of_both(self, other_src, capsys, monkeypatch):
        monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
        file = other_src / "runs.json"
        names = "SpectralClassifier,Gone,Broken"
        words = ["--rows", "200", "--repeat", "1", "--estimators", names]
        assert versus.main([str(other_src), *words, "--json", str(file)]) == 0
        both, gone, broken = json.loads(file.read_text())
        assert both["here"]["runs"][0]["score"] > both["there"]["runs"][0]["score"]
        assert both["seconds_ratio"] > 0
        assert gone["here"] == {"runs": [], "problem": versus.MISSING}
        assert gone["seconds_ratio"] is None
        assert "broken on purpose" in broken["there"]["problem"]
        written = capsys.readouterr()
        assert "[1/3] SpectralClassifier, 200 rows" in written.err
        assert versus.MISSING in written.out

    def test_each_version_begins_every_second_repeat(self):
        assert list(versus.turns(2)) == ["there", "here", "here", "there"]

    def test_ratios_are_here_over_there_by_the_least_run(self):
        there = versus.Side([versus.Run(2.0, 10.0, 0.5), versus.Run(3.0, 8.0, 0.5)])
        here = versus.Side([versus.Run(1.0, 16.0, 0.5)])
        row = versus.row_of(versus.Comparison("Some", 2000, there, here))
        times, memory, scores = row[2:5], row[5:8], row[8:]
        assert row[:2] == ["Some", "2,000"]
        assert times == ["2.00", "1.00", "0.50"]
        assert memory == ["8", "16", "2.00"]
        assert scores == ["0.500", "0.500"]

    def test_labels_are_five_per_class(self, monkeypatch):
        monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
        X, truth, y = versus.make_data(300)
        assert len(X) == 300
        labeled = y != -1
        assert (y[labeled] == truth[labeled]).all()
        assert Counter(y[labeled].tolist()) == dict.fromkeys(range(10), 5)

    @pytest.mark.parametrize(
        "words", [["nowhere"], [str(versus.HERE_SRC), "--rows", "5"]]
    )
    def test_wrong_words_are_refused(self, words, capsys):
        with pytest.raises(SystemExit, match="2"):
            versus.main(words)
        assert "error" in capsys.readouterr().err


@pytest.mark.parametrize(
    "estimator",
    ["LabelSearchClassifier", "LaplacianSVC", "SelfLabelingSVC", "TransductiveSVC"],
)
def test_a_fit_that_prints_its_progress_calls_nothing_above(estimator, capsys):
    text = (crossings.ROOT / "pyproject.toml").read_text("utf-8")
    package, ladders = crossings.read_ladders(text)
    X, y = make_moons(60, noise=0.1, random_state=0)
    solver = {"solver": "pcg"} if estimator == "LaplacianSVC" else {}
    model = getattr(widemargin, estimator)(verbose=True, random_state=0, **solver)
    y[8:] = -1
    model.fit(X, y)  # the first fit also makes the values of shorthands
    calls = crossings.record_calls(lambda: model.fit(X, y), package)
    assert f"{estimator}: " in capsys.readouterr().out
    assert crossings.calls_that_go("up", calls, ladders) == {}


def test_a_fit_to_classes_of_several_sizes_calls_nothing_above():
    """Labels in unequal numbers make class shares count."""
    text = (crossings.ROOT / "pyproject.toml").read_text("utf-8")
    package, ladders = crossings.read_ladders(text)
    X, y = make_moons(60, noise=0.1, random_state=0)
    y[np.flatnonzero(y == 0)[6:]] = y[np.flatnonzero(y == 1)[4:]] = -1
    model = widemargin.SpectralClassifier(random_state=0).fit(X, y)
    calls = crossings.record_calls(lambda: model.update(y), package)
    callees = {callee.function for _, callee in calls}
    assert "predict_shares" in callees
    assert crossings.calls_that_go("up", calls, ladders) == {}
