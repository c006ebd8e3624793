"""What comes from a file is shown, never executed, on terminals of any encoding."""

import csv
import io
import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from widemargin import FewLabelClassifier, TransductiveSVC, save
from widemargin.cli import reports
from widemargin.cli.reports import visible
from widemargin.progress import track

HOSTILE = "\x1b]0;owned\x07 \x9b2J\x7f \u202eabc\u2066"
EXECUTED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2066]")
FIT = "fit", "table.csv", "--target", "y", "--method", "svm"


@pytest.fixture
def hostile(folder):
    """A table whose labels, categories and names hold control characters."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), HOSTILE: rng.normal(size=40)})
    frame["z"] = np.where(frame["x"] > 0, HOSTILE, "5%")
    frame[f"{HOSTILE} id"] = np.arange(40)
    labels = np.where(frame["x"] > 0, f"{HOSTILE}a", f"{HOSTILE}b")
    frame["y"] = np.where(np.arange(40) < 20, labels, None)
    frame.to_csv("table.csv", index=False)
    return frame


def test_controls_are_visible():
    assert visible("a\x1b[0m\x9b\u202e\n\ud800") == r"a\x1b[0m\x9b\u202e\n\ud800"
    assert (
        visible("größe \U0001f468\u200d\U0001f469")
        == "größe \U0001f468\u200d\U0001f469"
    )
    assert visible("a\nb\r", kept="\n") == "a\nb\\r"


def test_reports_execute_nothing(done, run, hostile):
    results = [
        done(*FIT),
        done(*FIT, "--json", "--force"),
        done("inspect", "table.wm"),
        done("inspect", "table.wm", "--json"),
        done("predict", "table.wm", "table.csv", "--json"),
        done("predict", "table.wm", "table.csv", "--out", "p.csv"),
        done("cluster", "table.csv", "-k", 2),
        run("fit", "table.csv", "--target", "x"),
        run("fit", "table.csv", "--target", "no"),
        run("fit", "table.csv", "--target", "no", "--debug"),
        run("fit", "table.csv", "--target", "y", "--numeric", "z"),
    ]
    for result in results:
        assert not EXECUTED.search(result.output), result.output
    shown = results[0].stdout.replace("\n", "")
    assert r"\x1b]0;owned\x07" in shown
    assert set(json.loads(results[1].stdout)["labeled"]) == {
        f"{HOSTILE}a",
        f"{HOSTILE}b",
    }
    first = json.loads(results[4].stdout)["predictions"][0]["label"]
    assert first.startswith(HOSTILE)


def test_a_model_file_executes_nothing(run, done, hostile):
    X = hostile[["x", HOSTILE]]
    labels = hostile["y"].to_numpy(object)
    model = make_pipeline(StandardScaler(), TransductiveSVC(kernel="linear"))
    save(model.fit(X, labels), "model.wm")
    data = X.rename(columns={"x": "other"}).to_csv(index=False)
    for result in (
        done("inspect", "model.wm"),
        run("predict", "model.wm", "-", input=data),
    ):
        assert not EXECUTED.search(result.output), result.output


@pytest.mark.slow
@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_table_is_exact_unless_it_is_shown(done, hostile, is_terminal):
    done(*FIT)
    words = [sys.executable, "-m", "widemargin", "predict", "table.wm", "table.csv"]
    if is_terminal:
        main_end, end = pytest.importorskip("pty").openpty()
        process = subprocess.Popen(words, stdout=end)
        os.close(end)
        output = b""
        while True:
            try:
                output += os.read(main_end, 4096)
            except OSError:  # how a terminal ends
                break
        process.wait()
        os.close(main_end)
    else:
        output = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
    text = output.decode().replace("\r\n", "\n")
    assert text.count("\n") == 41
    assert bool(EXECUTED.search(text)) != is_terminal


FORMULAS = ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\tx"]


@pytest.mark.parametrize("label", FORMULAS)
def test_formulas_of_a_model_are_guarded(done, folder, label):
    """Labels that the user's own table holds are written as they are."""
    cells = [label, "b"] * 4 + [""] * 8
    rows = [f'{5 * (i % 2) + i / 100},"{cell}"' for i, cell in enumerate(cells)]
    (folder / "table.csv").write_text("\n".join(["x,y", *rows]))
    done(*FIT)
    own = pd.read_csv("table-predictions.csv")["label"]
    assert set(own) == {label, "b"}
    text = done("predict", "table.wm", "table.csv").stdout
    found = [row["label"] for row in csv.DictReader(io.StringIO(text))]
    assert set(found) == {f"'{label}", "b"}
    done("predict", "table.wm", "table.csv", "--out", "p.parquet")
    assert set(pd.read_parquet("p.parquet")["label"]) == {label, "b"}
    outcome = json.loads(done("predict", "table.wm", "table.csv", "--json").stdout)
    assert {row["label"] for row in outcome["predictions"]} == {label, "b"}


def test_numbers_are_no_formulas(done, folder):
    cells = ["-3", "+1.5e3"] * 4 + [""] * 8
    rows = [f"{5 * (i % 2) + i / 100},{cell}" for i, cell in enumerate(cells)]
    (folder / "table.csv").write_text("\n".join(["x,y", *rows]))
    done(*FIT)
    text = done("predict", "table.wm", "table.csv").stdout
    assert {row["label"] for row in csv.DictReader(io.StringIO(text))} == {
        "-3",
        "+1.5e3",
    }


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_terminals_of_any_encoding(folder, encoding):
    """What they cannot show is printed as an escape; JSON and tables stay exact."""
    names = ["größe \u540d", "\u00e9\U0001f600"]
    rows = [
        f"{5 * (i % 2) + i / 100},{names[i % 2] if i < 8 else ''}" for i in range(20)
    ]
    text = "\n".join(["maß \u4e2d,y", *rows])
    (folder / "table.csv").write_text(text, encoding="utf-8")
    env = {**os.environ, "PYTHONIOENCODING": encoding}

    def run(*words):
        command = [sys.executable, "-m", "widemargin", *words]
        return subprocess.run(command, env=env, capture_output=True)

    done = run(*FIT, "--folds", "0")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode(encoding)
    assert ("maß" in shown) == (encoding != "ascii")
    assert ("\u4e2d" in shown) == (encoding == "utf-8")
    assert (r"\u4e2d" in shown) == (encoding != "utf-8")
    assert json.loads(run(*FIT, "--force", "--json").stdout.decode(encoding))[
        "labeled"
    ] == {name: 4 for name in sorted(names)}
    table = run("predict", "table.wm", "table.csv").stdout.decode("utf-8")
    assert {line.split(",")[2] for line in table.splitlines()[1:]} == set(names)
    done = run("fit", "table.csv", "--target", "m", "--force")
    assert done.returncode == 2
    assert b"There is no column 'm'" in done.stderr
    assert run("fit", "--help").returncode == 0


def test_lines_of_progress_where_there_is_no_terminal(monkeypatch, capsys):
    with reports.progress_bar("Fitting few-labels", 1):
        list(track("labels", [1, 2]))
    assert capsys.readouterr().err == ""  # a short fit says nothing
    monkeypatch.setattr(reports, "LINE_SECONDS", 0.0)
    with reports.progress_bar("Fitting few-labels", 1):
        list(track("labels", [1, 2]))
    printed = capsys.readouterr()
    assert "Fitting few-labels: labels, 100 % done, about 5 seconds left" in printed.err
    assert printed.out == ""


def test_an_estimator_is_as_quiet_as_before_even_after_an_error():
    model, seen = FewLabelClassifier(), []

    def fail():
        seen.append(model.verbose)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), reports.verbosely(model):
        fail()
    assert seen == [True]
    assert model.verbose is False
