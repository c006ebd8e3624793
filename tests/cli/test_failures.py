"""Each mistake gets one sentence that names it and the way out."""

import io
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from widemargin.cli.signals import exit_if_unread

FIT = "fit", "iris.csv", "--target", "species"


def test_wrong_column(refused):
    message = refused("fit", "iris.csv", "--target", "speces")
    assert "no column 'speces' in iris.csv. Did you mean 'species'?" in message
    assert "'petal_width'" in message


@pytest.mark.parametrize("option", ["--numeric", "--categorical", "--drop"])
def test_wrong_column_in_an_option(refused, option):
    assert "no column 'petal' in iris.csv" in refused(*FIT, option, "petal")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("nowhere.csv", None, "Cannot read nowhere.csv: no such file"),
        ("table.xls", b"PK", "does not show its format; add --format"),
        ("table.xlsx", b"PK", "table.xlsx is not an Excel file (.xlsx)"),
        ("table.csv.zip", b"PK", "table.csv.zip is an archive; unpack it first"),
        ("table.csv.gz", b"\x1f\x8b no", "table.csv.gz cannot be unpacked by gzip"),
        ("table.csv", b"", "table.csv is empty"),
        ("table.csv", b"a,species\n", "table.csv has no rows"),
        ("table.csv", "a,é\n1,2".encode("latin-1"), "add --encoding cp1252 if that"),
        ("table.csv", b"a,species\n1,2\n1,2,3\n", "Row 2 of table.csv has 3 cells"),
        ("table.csv", b"a,species\n1,2,3\n1,2,3\n", "the header names 2 columns"),
        ("table.csv", b"a,a,species\n1,2,3\n", "more than one column 'a'"),
        ("table.csv", b"a;species\n1;2\n", "add --separator ';'"),
        ("table.npz", b"no", "table.npz is not an NPZ file of plain arrays"),
        ("table.csv", b"a,species\n1,x\ninf,y\n2,\n", "got 'inf' in row 2"),
        ("table.csv", b"a,species\n1,x\n1,y\n1,\n", "'a': always 1"),
        ("table.csv", b"species\nx\ny\nz\n", "No column of table.csv is left"),
    ],
)
def test_unreadable_tables(refused, folder, name, content, message):
    if content is not None:
        (folder / name).write_bytes(content)
    assert message in refused("fit", name, "--target", "species")


def test_unreadable_parquet(refused, folder, monkeypatch):
    (folder / "table.parquet").write_bytes(b"no")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "fastparquet", None)
    message = refused("fit", "table.parquet", "--target", "species")
    assert "pip install pyarrow (or the extra, in a clone" in message


def test_parquet_needs_pyarrow_before_any_work(refused, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    message = refused(*FIT, "--predictions", "p.parquet")
    assert "pip install pyarrow (or the extra, in a clone" in message


def test_arrays_that_are_no_columns(refused):
    np.savez("table.npz", X=np.zeros((3, 2)), y=np.zeros(4))
    message = refused("fit", "table.npz", "--target", "y")
    assert "arrays of different lengths: 'X' 3, 'y' 4" in message
    np.savez("table.npz", X=np.zeros((3, 2, 2)))
    assert "'X' of shape (3, 2, 2)" in refused("cluster", "table.npz", "-k", 2)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([None] * 150, "has no label: all 150 cells are empty"),
        (["rose"] * 3 + [None] * 147, "holds one class only, 'rose' (labeled rows: 3)"),
        (["1", "2", "rose"] * 3 + [None] * 141, "mixes numbers and text: 3 of its 9"),
        ([0.5, 1.5] * 5 + [None] * 140, "holds measured numbers such as 0.5"),
        ([-1, 1] * 5 + [None] * 140, "'species' holds empty cells and -1, which both"),
        ([-1, 1] * 75, "add --categorical 'species' if -1 is one"),
        (
            [f"name {i}" for i in range(140)] + [None] * 10,
            "140 different labels in 140",
        ),
    ],
)
def test_targets_that_are_none(refused, iris, labels, message):
    iris["species"] = pd.Series(labels, dtype=object)
    iris.to_csv("iris.csv", index=False)
    assert message in refused(*FIT)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "-"], "--out must be the name of a file"),
        (["--out", "no/m.wm"], "There is no folder no for m.wm"),
        (["--out", "."], ". is a folder"),
        (["--predictions", "."], ". is a folder"),
        (["--out", "iris.csv", "--force"], "iris.csv is the input, which is never"),
        (["--predictions", "iris.csv", "--force"], "iris.csv is the input"),
        (["--predictions", "./iris.csv", "--force"], "iris.csv is the input"),
        (["--out", "m.csv"], "m.csv has the ending of a table; choose a name"),
        (["--out", "m.npz"], "m.npz has the ending of a table"),
        (["--encoding", "no"], "--encoding must be the name of an encoding"),
        (["--out", "a.csv", "--predictions", "a.csv"], "must be two files"),
        (["--out", "./a.csv", "--predictions", "a.csv"], "must be two files"),
        (["--out", "/dev/null", "--force"], "/dev/null is not a regular file"),
        (["--drop", "species"], "'species' is the target; leave it out of"),
        (["--numeric", "species"], "'species' is the target; leave it out of"),
        (["--predictions", "p.doc"], "p.doc does not end in one of .csv"),
        (["--predictions", "-", "--json"], "both write to stdout"),
        (["--method", "magic"], "--method 'magic' is not one of auto, label-search"),
        (["--method", "laplacan"], "Did you mean 'laplacian'?"),
        (["--set", "budgt=fast"], "did you mean 'budget'?"),
        (
            ["--set", "gamma=1"],
            "FewLabelClassifier has no such parameter; it has budget",
        ),
        (
            ["--set", "gamma=1"],
            "verbose. Methods that have kernel__gamma: label-search, laplacian, ",
        ),
        (["--set", "budget=huge"], "budget of FewLabelClassifier must be"),
        (
            ["--set", "candidates=['no']"],
            "candidates of FewLabelClassifier must be",
        ),
        (["--set", "gamma"], "--set must be NAME=VALUE, got 'gamma'"),
        (
            ["--method", "laplacian", "--set", "kernel__gamma=-1"],
            "kernel__gamma: gamma of Rbf must be",
        ),
        (
            ["--method", "laplacian", "--set", "gamma=1"],
            "LaplacianSVC has no such parameter; did you mean 'kernel__gamma'?",
        ),
        (
            ["--method", "laplacian", "--set", "kernel__gama=1"],
            "--set kernel__gama: Rbf has no parameter 'gama'; it has gamma.",
        ),
        (
            ["--method", "laplacian", "--set", "ambient_reg=-1"],
            "ambient_reg of LaplacianSVC must be a number > 0, got -1",
        ),
        (["--seed", "4294967296"], "4294967296 is not in the range"),
        (["--folds", "-1"], "-1 is not in the range"),
        (["--folds", "1"], "must be 0, for no estimate, or at least 2, got 1."),
    ],
)
def test_wrong_options(refused, words, message):
    assert message in refused(*FIT, *words)


def test_the_input_is_kept_under_all_its_names(refused, folder):
    (folder / "link.csv").symlink_to("iris.csv")
    (folder / "hard.csv").hardlink_to("iris.csv")
    words = "cluster", "iris.csv", "-k", 2, "--force", "--predictions"
    assert "link.csv is the input" in refused(*words, "link.csv")
    assert "hard.csv is the input" in refused(*words, "hard.csv")


def test_parameters_are_checked_before_the_report(run):
    words = "--method", "laplacian", "--set", "ambient_reg=abc", "--set", "verbose=1"
    result = run(*FIT, *words)
    assert result.exit_code == 2
    assert "ambient_reg of LaplacianSVC must be" in result.stderr
    assert result.stdout == ""


def test_text_in_a_column_of_numbers(refused, iris):
    iris["amount"] = ["1,100", "many"] * 75
    iris.to_csv("iris.csv", index=False)
    message = refused(*FIT, "--numeric", "amount")
    assert "got 'many' in row 2; correct it" in message
    assert "--missing 'many'" in message


def test_a_folder_without_permission_is_refused_before_any_work(refused, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    monkeypatch.setattr("widemargin.cli.fitting.read_table", None)
    message = refused(*FIT, "--out", "z.wm")
    assert "Cannot write z.wm: permission denied." in message


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.slow
def test_a_full_standard_output_is_reported(done):
    done(*FIT, "--folds", 0)
    words = [sys.executable, "-m", "widemargin", "predict", "iris.wm", "iris.csv"]
    with open("/dev/full", "w") as full:
        result = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2
    expected = "Error: Cannot write to stdout: no space left on device.\n"
    assert result.stderr == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "stream"),
    [
        (("predict", "iris.wm", "iris.csv"), "stdout"),
        (("predict", "iris.wm", "iris.csv", "--json"), "stdout"),
        ((*FIT, "--method", "svm", "--force"), "stdout"),  # a report
        (("inspect", "iris.wm"), "stdout"),
        (("fit", "--help"), "stdout"),
        (("--version",), "stdout"),
        ((*FIT, "--seed", "x"), "stderr"),  # an error, which click prints
        (("fit", "no.csv", "--target", "y"), "stderr"),
    ],
)
def test_output_that_nobody_reads_is_no_internal_error(done, words, stream):
    """As in `widemargin predict ... | head`."""
    done(*FIT, "--method", "svm", "--folds", 0)
    reader, writer = os.pipe()
    os.close(reader)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-m", "widemargin", *words]
    with open(writer, "w") as unread:
        result = subprocess.run(command, **(streams | {stream: unread}))
    other = result.stderr if stream == "stdout" else result.stdout
    assert (result.returncode, other) == (141, "")


@pytest.mark.slow
@pytest.mark.parametrize("option", [(), ("--json",)])
@pytest.mark.parametrize("environment", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_a_reader_may_end_within_a_long_output(done, iris, option, environment):
    """Without a buffer, Python does not notice that a part was not written."""
    done(*FIT, "--method", "svm", "--folds", 0)
    pd.concat([iris] * 40).to_csv("long.csv", index=False)  # more than a pipe holds
    words = [sys.executable, "-m", "widemargin", "predict", "iris.wm", "long.csv"]
    env = {**os.environ, "PYTHONUNBUFFERED": "", **environment}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*words, *option], env=env, **pipes) as process:
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
    whole = subprocess.run([*words, *option], env=env, check=True, capture_output=True)
    text = whole.stdout.decode()
    n_rows = len(json.loads(text)["predictions"]) if option else text.count("\n") - 1
    assert n_rows == 6000


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ("widemargin.cli.main.import_module", BrokenPipeError),
        ("widemargin.cli.fitting.read_table", BrokenPipeError),
        ("widemargin.cli.fitting.read_table", ConnectionResetError),
    ],
)
def test_a_broken_pipe_elsewhere_is_an_internal_error(place, error, run, monkeypatch):
    """That of a process or a socket, while the output is read."""

    def fail(*_, **__):
        raise error(32, "Broken pipe")

    monkeypatch.setattr(place, fail)
    result = run(*FIT)
    assert result.exit_code == 1
    assert f"Internal error ({error.__name__}" in result.stderr


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_an_unread_stream_without_a_file_ends_the_command(name, monkeypatch):
    class Unread(io.StringIO):
        def flush(self):
            raise BrokenPipeError

    monkeypatch.setattr(sys, name, Unread())
    with pytest.raises(SystemExit) as end:
        exit_if_unread()
    assert end.value.code == 141


def test_debug_shows_where_an_error_arose(run):
    result = run("fit", "iris.csv", "--target", "speces", "--debug")
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert "in check_columns" in result.stderr


def test_an_internal_error_has_its_own_exit_code(run, monkeypatch):
    def fail(*_, **__):
        raise AssertionError("2 + 2 = 5")

    monkeypatch.setattr("widemargin.cli.fitting.read_table", fail)
    result = run(*FIT)
    assert result.exit_code == 1
    assert "Internal error (AssertionError: 2 + 2 = 5)" in result.stderr
    assert "--debug" in result.stderr


def test_an_interrupt_is_reported(run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("widemargin.cli.fitting.fit_and_estimate", interrupt)
    result = run(*FIT)
    assert result.exit_code == 130
    assert "Interrupted" in result.stderr


def test_an_interrupt_of_an_import_is_reported(run, monkeypatch):
    def interrupt(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("widemargin.cli.main.import_module", interrupt)
    for words in (FIT, ["--help"]):
        result = run(*words)
        assert result.exit_code == 130
        assert result.stderr == "Interrupted; no file is half-written.\n"


def test_an_interrupt_of_a_class_statement_is_reported(run, monkeypatch):
    """As Python 3.11 passes it on, during an import."""

    class Part:
        def __set_name__(self, owner, name):
            signal.raise_signal(signal.SIGINT)

    def interrupt(*_, **__):
        type("Whole", (), {"part": Part()})

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for place in ("fitting.fit_and_estimate", "main.import_module"):
            with monkeypatch.context() as patch:
                patch.setattr(f"widemargin.cli.{place}", interrupt)
                assert run(*FIT).exit_code == 130
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_of_a_solver_is_one_line(run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("widemargin.cli.methods.check_settings", lambda *_: None)
    monkeypatch.setattr("widemargin.solvers.pcg.exact_step", interrupt)
    words = "--method", "laplacian", "--folds", 0, "--set", "solver=pcg"
    result = run(*FIT, *words)
    assert result.exit_code == 130
    assert result.stderr == "Interrupted; no file is half-written.\n"


def test_too_little_memory_is_reported(refused, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("widemargin.cli.fitting.fit_and_estimate", fail)
    assert "not enough memory" in refused(*FIT)


def test_a_full_disk_is_reported(refused, monkeypatch):
    def fail(path, _):
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr("widemargin.model_files.files.write_whole", fail)
    message = refused(*FIT, "--folds", 0)
    assert "Cannot write iris.wm: no space left on device." in message
