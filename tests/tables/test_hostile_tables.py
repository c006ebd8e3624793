"""Labels of hostile tables come back as they are, or a message says why not."""

import csv
import io
import json
import re

import pandas as pd
import pytest
from click.testing import CliRunner

from widemargin.cli.main import main

N_ROWS = 24


def table(labels, *, header="x,y", ends="\n", quoted=False, sep=","):
    """Two groups of rows, the first of them labeled in turn, as text."""
    stream = io.StringIO()
    quoted = quoted or any("\r" in label for label in labels)
    quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(stream, delimiter=sep, quoting=quoting, lineterminator=ends)
    labels = [*labels, *labels]
    for i in range(N_ROWS):
        label = labels[i] if i < len(labels) else ""
        x = f"{5 * (i % 2) + 0.01 * i:.2f}"
        writer.writerow([x, label])
    return header.replace(",", sep) + ends + stream.getvalue()


def run(folder, content, *words, **options):
    data = content if isinstance(content, bytes) else content.encode()
    (folder / "table.csv").write_bytes(data)
    out = ["--out", str(folder / "m.wm"), "--predictions", str(folder / "p.csv")]
    rest = ["--method", "svm", "--folds", "0", "--json", *words]
    given = ["fit", str(folder / "table.csv"), "--target", "y", *out, *rest]
    return CliRunner().invoke(main, given, **options)


def predictions(folder):
    options = {"dtype": str, "keep_default_na": False}
    return pd.read_csv(folder / "p.csv", **options).to_dict(orient="records")


KEPT = {
    "long numbers": ["9007199254740992", "9007199254740993"],
    "longer than 64 bits": ["18446744073709551616", "18446744073709551617"],
    "a leading zero": ["01", "1"],
    "a decimal point": ["1.0", "1"],
    "trailing zeros": ["1.0", "1.00"],
    "exponents": ["1e3", "1000"],
    "a signed zero": ["-0", "0"],
    "a plus sign": ["+1", "1"],
    "hexadecimal": ["0x10", "0x11"],
    "underscores": ["1_0", "1_1"],
    "truth values": ["TRUE", "true"],
    "truth values as Python writes them": ["True", "False"],
    "blanks behind": ["a ", "a"],
    "blanks before": [" a", "a"],
    "quotes": ['say "a"', "'a'"],
    "separators in cells": ["a,b", "a;b"],
    "line feeds in cells": ["a\nb", "a b"],
    "carriage returns in cells": ["a\rb", "a b"],
    "both in cells": ["a\r\nb", "a\nb"],
    "tabs in cells": ["a\tb", "a b"],
    "formulas": ["=1+1", "@SUM(A1)"],
    "commands of formulas": ["=cmd|' /C calc'!A0", "-2+3"],
    "escapes of a terminal": ["\x1b[31mred\x1b[0m", "\x9b2J"],
    "bells and backspaces": ["a\x07", "b\x08"],
    "Unicode forms": ["\u00e9", "e\u0301"],
    "compatible characters": ["\ufb01", "fi"],
    "look-alikes": ["a", "\u0430"],
    "emoji": ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f600"],
    "marks of direction": ["\u202eabc", "abc"],
    "zero width": ["a\u200bb", "ab"],
    "other blanks": ["a\u00a0b", "a b"],
    "line separators": ["a\u2028b", "a\x85b"],
    "quotes behind blanks": [' a, "b"', 'a, "b"'],
    "quotes that end a cell": [' a, "', 'a, "'],
    "very long": ["a" * 200_000, "a" * 199_999 + "b"],
    "placeholders": ["none", "?"],
    "words of this program": ["(missing)", "given"],
    "dates": ["2024-01-05", "5.1.2024"],
    "letters that upper case changes": ["\u0131", "I"],
    "names of columns": ["x", "y"],
    "braces and percents": ["{x}", "%s"],
    "markup": ["[bold]a[/bold]", "[red]"],
    "backslashes": ["a\\nb", "a\\tb"],
    "marks of byte order inside": ["\ufeffa", "a"],
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name == "very long" else name
        for name in KEPT
    ],
)
def test_labels_come_back_character_by_character(name, tmp_path):
    labels = KEPT[name]
    result = run(tmp_path, table(labels))
    assert result.exit_code == 0, result.stderr
    found = predictions(tmp_path)
    given = [row["label"] for row in found if row["source"] == "given"]
    assert given == labels * 2
    assert {row["label"] for row in found} <= set(labels)
    outcome = json.loads(result.stdout)
    assert outcome["labeled"] == dict.fromkeys(labels, 2)
    # and from the model
    words = "predict", str(tmp_path / "m.wm"), str(tmp_path / "table.csv"), "--json"
    again = json.loads(CliRunner().invoke(main, words).stdout)["predictions"]
    assert [row["label"] for row in again] == [row["label"] for row in found]


WRITTEN = {
    "a mark of byte order": ("\ufeff" + table(["a", "b"]), ()),
    "a mark of byte order before quotes": (
        "\ufeff" + table(["a", "b"], header='"x","y"', quoted=True),
        (),
    ),
    "ends of lines of Windows": (table(["a", "b"], ends="\r\n"), ()),
    "old ends of lines": (table(["a", "b"], ends="\r"), ()),
    "blank lines": (table(["a", "b"]).replace("\n", "\n\n"), ()),
    "everything in quotes": (table(["a", "b"], quoted=True), ()),
    "blanks before quotes": (table(["a", "b"], quoted=True).replace(",", ",  "), ()),
    "semicolons": (table(["a", "b"], sep=";"), ("--separator", ";")),
    "tabs": (table(["a", "b"], sep="\t"), ("--separator", "\\t")),
    "blanks": (table(["a", "b"], sep=" ", quoted=True), ("--separator", " ")),
    "no name of a column": (table(["a", "b"], header=",y"), ()),
    "no end of the last line": (table(["a", "b"]) + "1,a", ()),
    "another encoding": (table(["a", "b"]).encode("utf-16"), ("--encoding", "utf-16")),
    "marks of missing cells": (
        table(["a", "b", "NA", "N/A", "null", "NaN", "  ", "<NA>"]),
        (),
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_tables_written_in_other_ways(name, tmp_path):
    content, words = WRITTEN[name]
    result = run(tmp_path, content, *words)
    assert result.exit_code == 0, result.stderr
    outcome = json.loads(result.stdout)
    assert outcome["labeled"].keys() == {"a", "b"}
    found = predictions(tmp_path)
    assert [row["label"] for row in found[:2]] == ["a", "b"]
    assert {row["label"] for row in found} == {"a", "b"}


FULL = table(["a", "b"])
REFUSED = {
    "a short last row": (
        FULL + "1.5",
        "Row 25 of .* has 1 cells, but the header names 2",
    ),
    "a short row": (FULL.replace("5.01,b", "5.01"), "Row 2 of .* the file may be cut"),
    "a long row": (FULL + "1,a,b\n", "Row 25 of .* has 3 cells.*need quotation marks"),
    "an open quote": (FULL + '1,"a\n', "a quotation mark is never closed"),
    "NUL": (FULL + "1,a\0\n", "contains NUL characters"),
    "names that are the same": (
        table(["a", "b"], header="y,y"),
        "more than one column 'y'",
    ),
    "no header": (table(["a", "b"]).partition("\n")[2], "There is no column 'y'"),
    "Latin 1": (
        table(["\u00e4", "\u00f6"]).encode("latin-1"),
        "add --encoding cp1252",
    ),
    "semicolons": (table(["a", "b"], sep=";"), "add --separator ';'"),
    "measured numbers": (table(["0.5", "0.25"]), "holds measured numbers such as 0.5"),
    "infinity": (table(["inf", "1"]), "holds measured numbers such as inf"),
    "infinity and a name": (table(["inf", "outf"]), "mixes numbers and text"),
    "numbers and names": (table(["1", "2", "x"]), "mixes numbers and text"),
    "two marks": (table(["-1", "1", "2"]), "empty cells and -1, which both mark"),
    "one class": (table(["a", "a"]), "holds one class only, 'a'"),
    "no label": (table(["", ""]), "has no label"),
    "nothing": ("", "is empty"),
    "only blanks": ("  \n \n", "is empty"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_others_get_one_clear_sentence(name, tmp_path):
    content, message = REFUSED[name]
    result = run(tmp_path, content)
    assert result.exit_code == 2, result.output
    text = " ".join(result.stderr.split())
    assert re.search(message, text), text
    assert not (tmp_path / "p.csv").exists()


def test_numbers_as_names(tmp_path):
    result = run(tmp_path, table(["0.5", "0.25"]), "--categorical", "y")
    assert json.loads(result.stdout)["labeled"] == {"0.25": 2, "0.5": 2}


def test_labels_that_look_alike_are_noted(tmp_path):
    for name in ("a leading zero", "blanks behind", "truth values", "Unicode forms"):
        result = run(tmp_path, table(KEPT[name]), "--force")
        (note,) = json.loads(result.stdout)["notes"]
        assert "are two classes; if they are one" in note
        assert note.isascii()
    result = run(tmp_path, table(["a", "b"]), "--force")
    assert json.loads(result.stdout)["notes"] == []


@pytest.mark.parametrize(
    "labels", [["a", "b"], ["0", "1"], ["01", "2"], ["True", "False"]]
)
def test_a_column_that_equals_the_target_is_noted(labels, tmp_path):
    lines = table(labels * 6, header="x,y").splitlines()  # all rows are labeled
    cells = [labels[i % 2] for i in range(N_ROWS)]
    copied = [
        f"{lines[0]},z",
        *(f"{a},{b}" for a, b in zip(lines[1:], cells, strict=True)),
    ]
    result = run(tmp_path, "\n".join(copied))
    (note,) = json.loads(result.stdout)["notes"]
    assert note.startswith("'z' equals the target in all labeled rows")
    result = run(tmp_path, "\n".join(copied), "--drop", "z", "--force")
    assert json.loads(result.stdout)["notes"] == []


@pytest.mark.parametrize("label", ["07", "7.0"])
def test_rows_of_no_class_have_the_text_of_the_table(label, tmp_path):
    words = "--method", "tri-class", "--set", f"irrelevant_label={label}"
    result = run(tmp_path, table(["7", "8", label]), *words)
    assert result.exit_code == 0, result.stderr
    rows = predictions(tmp_path)
    assert [row["source"] for row in rows].count("irrelevant") == 2


def test_an_empty_separator_is_refused(tmp_path):
    result = run(tmp_path, FULL, "--separator", "")
    assert result.exit_code == 2
    assert "--separator must be one character" in result.stderr
