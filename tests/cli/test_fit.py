import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

import widemargin
from widemargin.cli import reports
from widemargin.cli.methods import list_offers
from widemargin.datasets import hide_labels
from widemargin.kernels import Rbf

FIT = "fit", "iris.csv", "--target", "species"


def test_fit_says_what_it_found_and_writes_both_files(done, iris, truth):
    result = done(*FIT)
    report = " ".join(result.stdout.split())
    assert "iris.csv, 150 rows" in report
    assert "numbers 4: sepal_length, sepal_width, petal_length, petal_width" in report
    assert "categories 1: color" in report
    assert "left out flower_id (looks like an identifier" in report
    assert "picked (always '2024-05-01')" in report
    assert "30 in 'species': setosa (10), versicolor (10), virginica (10)" in report
    assert "unlabeled 120" in report
    assert "candidates weight held-out error changed supervised 0." in report
    assert "% on new rows (estimated from 30 held-out labels)" in report
    assert "whose class differs from the labels-only model" in report
    assert "estimate" not in report.replace("estimated", "")
    assert "contains 149 training rows" in report  # one flower is like another
    assert result.stderr == ""

    found = pd.read_csv("iris-predictions.csv")
    classes = ["setosa", "versicolor", "virginica"]
    ours = ["label", "probability", *(f"p({name})" for name in classes)]
    assert list(found) == [*iris, *ours, "source", "review"]
    assert found[list(iris)].equals(pd.read_csv("iris.csv"))
    assert np.allclose(found[ours[2:]].sum(axis=1), 1, atol=1e-5)
    given = iris["species"].notna()
    to_review = found["review"].dropna()
    check = "label next (random check)"
    assert set(to_review) <= {"label next", check, "suspect label", "uncertain"}
    assert to_review.isin(["label next", check]).sum() == 10
    checks = re.search(r"drawn at random as a check: (\d+), (\d+) ", report).groups()
    assert (
        sorted(map(int, checks))
        == (np.flatnonzero(found["review"] == check) + 1).tolist()
    )
    assert (to_review[given] != "uncertain").all()
    assert (found["source"] == np.where(given, "given", "inferred")).all()
    assert (found["label"] == iris["species"])[given].all()
    assert (found["label"] == truth).mean() > 0.85
    assert found["probability"].between(0, 1).all()


@pytest.mark.slow
def test_labels_left_out_are_compared_with_an_svc(done):
    report = " ".join(done(*FIT, "--method", "laplacian").stdout.split())
    assert "estimate 5-fold cross-validation on 30 labeled rows: laplacian: " in report
    assert " rows correct (" in report
    assert "%) SVC on the labels alone: " in report
    assert "candidates" not in report
    report = " ".join(done(*FIT, "--folds", 2, "--force").stdout.split())
    assert "estimate 2-fold cross-validation on 30 labeled rows: auto: " in report
    assert "candidates" in report


@pytest.mark.slow
def test_rows_to_label_next_are_unlabeled_ones(done, iris):
    """They are numbered as in the predictions: from 1, below the header."""
    outcome = json.loads(done(*FIT, "--json").stdout)
    rows = outcome["report"]["label_next"]
    assert len(set(rows)) == 10
    assert iris["species"].iloc[[row - 1 for row in rows]].isna().all()
    model = widemargin.load("iris.wm")[-1]
    assert rows == (model.report_.label_next + 1).tolist()
    listed = ", ".join(map(str, rows))
    report = " ".join(done(*FIT, "--force").stdout.split())
    assert f"label next rows {listed} (row 1 is the first below the header)" in report
    checks = outcome["report"]["check_rows"]
    assert checks
    assert set(checks) < set(rows)
    assert f"at random as a check: {', '.join(map(str, checks))}" in report


def test_suspect_labels_are_printed(done, iris):
    """Of iris, a setosa that is called virginica."""
    row = int(np.flatnonzero(iris["species"] == "setosa")[0])
    iris.loc[row, "species"] = "virginica"
    iris.to_csv("iris.csv", index=False)
    (first, *_) = json.loads(done(*FIT, "--json").stdout)["report"]["suspect_labels"]
    assert first["row"] == row + 1
    assert first["suggested"] == "setosa"
    assert first["probability"] < 0.1
    assert (first["id"], first["labeled"]) == (str(1000 + row), "virginica")
    report = " ".join(done(*FIT, "--force").stdout.split())
    labels = "labeled virginica, predicted setosa without its label"
    assert f"suspects row {row + 1} ({1000 + row}): {labels}" in report


def test_labels_of_proposed_rows_are_not_random(done, iris, truth):
    """Neither in the same table nor in the predictions that name them."""
    outcome = json.loads(done(*FIT, "--json").stdout)["report"]
    rows = np.array(outcome["label_next"]) - 1
    chosen = sorted(set(rows + 1) - set(outcome["check_rows"]))
    predictions = pd.read_csv("iris-predictions.csv")
    unchanged = json.loads(done(*FIT, "--force", "--json").stdout)["report"]
    assert unchanged["held_out_random"] is None
    for name, frame in {"iris": iris, "filled": predictions}.items():
        frame.loc[rows, "species"] = truth[rows]
        frame.to_csv(f"{name}.csv", index=False)
        words = "fit", f"{name}.csv", "--target", "species", "--force", "--json"
        outcome = json.loads(done(*words).stdout)
        expected = f"{len(chosen)} of the {30 + len(rows)} labels are of rows that"
        assert any(note.startswith(expected) for note in outcome["notes"])
        assert outcome["report"]["held_out_random"] == 30 + len(rows) - len(chosen)
        model = widemargin.load(f"{name}.wm")[-1]
        assert (model.report_.chosen_rows + 1).tolist() == chosen
        again = json.loads(done(*words).stdout)["report"]  # it is not forgotten
        assert again["held_out_random"] == outcome["report"]["held_out_random"]
    assert "p(setosa)" in outcome["columns"]["left_out"]


def test_labels_in_the_predictions_are_not_replaced(done, refused, truth):
    done(*FIT)
    predictions = pd.read_csv("iris-predictions.csv", dtype=str)
    done(*FIT, "--force")
    predictions.loc[1:2, "species"] = truth[1:3]
    predictions.to_csv("iris-predictions.csv", index=False)
    message = refused(*FIT, "--force")
    assert (
        "iris-predictions.csv has 2 labels in 'species' that iris.csv does" in message
    )
    done(*FIT, "--force", "--predictions", "other.csv")


def test_labels_that_are_removed_from_the_table_are_no_loss(done, iris):
    done(*FIT)
    iris.loc[0, "species"] = None
    iris.to_csv("iris.csv", index=False)
    done(*FIT, "--force")


def test_a_model_of_other_rows_proposes_nothing(done, iris, truth):
    rows = np.array(json.loads(done(*FIT, "--json").stdout)["report"]["label_next"]) - 1
    iris.loc[rows, "species"] = truth[rows]
    iris.drop(index=149).to_csv("iris.csv", index=False)
    outcome = json.loads(done(*FIT, "--force", "--json").stdout)
    assert outcome["report"]["held_out_random"] is None
    Path("iris.wm").write_bytes(b"PK, but no model")
    iris.to_csv("iris.csv", index=False)
    outcome = json.loads(done(*FIT, "--force", "--json").stdout)
    assert outcome["report"]["held_out_random"] is None


def test_a_class_that_the_error_does_not_count_is_named(done, iris):
    kept = iris["species"].where(iris["species"] != "setosa")
    iris["species"] = kept.where(iris.index > 0, "setosa")
    iris.to_csv("iris.csv", index=False)
    report = " ".join(done(*FIT).stdout.split())
    assert "note the error does not count class 'setosa' (1 label), so it" in report


def test_what_is_not_known_is_null(done, iris):
    """No class has two labels, so that none can be held out."""
    labeled = iris["species"].notna()
    iris.loc[labeled & iris["species"].duplicated(), "species"] = None
    iris.to_csv("iris.csv", index=False)
    report = " ".join(done(*FIT).stdout.split())
    assert "error unknown, because no label could be held out" in report
    assert "note no class has two labels" in report
    assert "does not count class" not in report  # which would say the same
    outcome = json.loads(done(*FIT, "--json", "--force").stdout, parse_constant=int)
    assert outcome["report"]["candidates"][0]["error"] is None
    assert outcome["report"]["error"] is outcome["report"]["error_std"] is None
    assert outcome["report"]["held_out"] == 0


@pytest.mark.slow
def test_a_table_of_candidates_fits_a_terminal(done):
    lines = done(*FIT, "--set", "budget=thorough").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    start = next(i for i, line in enumerate(lines) if line.startswith("candidates"))
    table = [line.rstrip() for line in lines[start : start + 8]]
    assert len({len(line) for line in table[1:]}) == 1
    assert table[0].endswith("changed")


def test_a_saved_model_predicts_a_data_frame(done, iris):
    done(*FIT)
    model = widemargin.load("iris.wm")
    found = pd.read_csv("iris-predictions.csv")
    inferred = found["source"] == "inferred"
    labels = model.predict(iris.drop(columns=["species", "flower_id"]))
    assert (labels == found["label"])[inferred].all()


@pytest.mark.parametrize("method", list_offers("classify"))
def test_all_methods_fit_save_and_predict(done, method, iris, truth):
    iris[::2].to_csv("half.csv", index=False)
    done("fit", "half.csv", "--target", "species", "--method", method, "--folds", 0)
    found = pd.read_csv("half-predictions.csv")
    assert (found["label"] == truth[::2]).mean() > 0.8
    result = done("predict", "half.wm", "iris.csv")
    assert result.stdout.count("\n") == 151


def test_json_is_all_that_is_printed(done):
    result = done(*FIT, "--method", "laplacian", "--json")
    outcome = json.loads(result.stdout)
    assert outcome["rows"] == 150
    assert outcome["unlabeled"] == 120
    assert outcome["labeled"] == dict.fromkeys(
        ["setosa", "versicolor", "virginica"], 10
    )
    assert outcome["columns"]["categories"] == ["color"]
    assert set(outcome["columns"]["left_out"]) == {"flower_id", "picked"}
    assert outcome["estimate"]["rows"] == 30
    assert 0.5 < outcome["estimate"]["accuracy"] <= 1
    assert 0.5 < outcome["estimate"]["baseline_accuracy"] <= 1
    assert sum(outcome["inferred"].values()) == 120
    assert outcome["model"] == "iris.wm"
    assert result.stderr == ""


def test_from_standard_input_to_standard_output(done, folder):
    text = (folder / "iris.csv").read_text()
    words = "fit", "-", "--target", "species", "--predictions", "-", "--folds", 0
    result = done(*words, input=text)
    assert result.stdout.splitlines()[0].endswith(",source,review")
    assert result.stdout.count("\n") == 151
    assert "stdin, 150 rows" in result.stderr
    assert widemargin.load("table.wm")


@pytest.mark.slow
def test_digits_are_names(done, folder):
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    frame = pd.DataFrame(X).add_prefix("pixel_")
    frame["digit"] = pd.Series(hide_labels(y.astype(float), 50, rng=0)).astype("Int64")
    frame.to_csv("digits.csv", index=False)
    report = done("fit", "digits.csv", "--target", "digit", "--folds", 0).stdout
    assert "(always 0)" in report
    found = pd.read_csv("digits-predictions.csv", dtype=str)
    assert set(found["label"]) == set("0123456789")
    assert (found["label"].astype(int) == y).mean() > 0.75
    assert widemargin.load("digits.wm").classes_.tolist() == list("0123456789")


@pytest.mark.parametrize("ending", [".csv.gz", ".tsv.gz"])
def test_compressed_tables(done, iris, ending):
    table = f"flowers{ending}"
    iris.to_csv(table, index=False, sep="\t" if "tsv" in ending else ",")
    done("fit", table, "--target", "species", "--folds", 0)
    done("predict", "flowers.wm", table, "--format", ending[1:4])


@pytest.mark.parametrize("ending", [".tsv", ".parquet", ".npz"])
def test_other_formats(done, iris, ending):
    table = f"flowers{ending}"
    if ending == ".tsv":
        iris.to_csv(table, index=False, sep="\t")
    elif ending == ".parquet":
        pytest.importorskip("pyarrow")
        iris.to_parquet(table)
    else:
        species = iris["species"].fillna("").to_numpy(str)
        np.savez(table, X=iris.filter(like="_length").to_numpy(), species=species)
    written = ".csv" if ending == ".npz" else ending
    out = f"labels{written}"
    words = "fit", table, "--target", "species", "--folds", 0, "--predictions", out
    done(*words)
    read = {".csv": pd.read_csv, ".tsv": pd.read_table, ".parquet": pd.read_parquet}
    found = read[written](out)
    assert (found["source"] == "given").sum() == 30
    assert "" not in set(found["review"])  # empty cells, in Parquet null
    assert found["review"].isna().any()
    done("predict", "flowers.wm", table)


def test_parameters_can_be_set(done):
    words = "--set", "kernel=linear", "--set", "ambient_reg=0.5"
    done(*FIT, "--method", "laplacian", "--folds", 0, *words)
    model = widemargin.load("iris.wm")[-1]
    assert (model.kernel, model.ambient_reg) == ("linear", 0.5)


def test_parameters_of_values_can_be_set(done):
    """In any order: the value of a shorthand is there before its parameters."""
    words = "--set", "kernel__gamma=0.5", "--set", "kernel=rbf"
    done(*FIT, "--method", "laplacian", "--folds", 0, *words)
    assert widemargin.load("iris.wm")[-1].kernel == Rbf(0.5)


def test_rows_of_no_class_can_be_marked(done, iris):
    iris.loc[iris["species"] == "setosa", "species"] = "junk"
    iris.to_csv("iris.csv", index=False)
    settings = "--method", "tri-class", "--set", "irrelevant_label=junk"
    assert "20 labeled rows" in done(*FIT, *settings).stdout
    found = pd.read_csv("iris-predictions.csv")
    assert (found["source"] == "irrelevant").sum() == 10
    assert not found["relevant"][found["source"] == "irrelevant"].all()
    assert "junk" not in set(found["label"])


def test_columns_can_be_chosen(done):
    words = "--numeric", "flower_id", "--categorical", "picked", "--drop", "color"
    outcome = json.loads(done(*FIT, *words, "--folds", 0, "--json").stdout)
    assert "flower_id" in outcome["columns"]["numbers"]
    assert outcome["columns"]["categories"] == ["picked"]
    assert outcome["columns"]["left_out"] == {"color": "by --drop"}


def test_numbers_can_be_names_of_classes(done, iris):
    names = {"setosa": "07", "versicolor": "-1", "virginica": "none"}
    iris["species"] = iris["species"].map(names)
    iris.to_csv("iris.csv", index=False)
    outcome = json.loads(
        done(*FIT, "--categorical", "species", "--folds", 0, "--json").stdout
    )
    assert set(outcome["labeled"]) == set(names.values())
    assert outcome["unlabeled"] == 120


def test_an_estimate_that_cannot_be_made_is_reported(done, iris):
    labeled = iris["species"].notna()
    iris.loc[labeled & iris["species"].duplicated(), "species"] = None
    iris.to_csv("iris.csv", index=False)
    result = done(*FIT, "--method", "svm")
    report = " ".join(result.stdout.split())
    assert "none: it takes two classes with at least two labeled rows each" in report
    assert "each of the 3 classes has a single label: nothing can be" in report


def test_fewer_folds_than_wanted_are_reported(done):
    report = " ".join(done(*FIT, "--folds", 40, "--method", "svm").stdout.split())
    folds = "10-fold cross-validation on 30 labeled rows"
    assert f"{folds} (no class has more than 10 labels): svm: " in report


@pytest.mark.parametrize(
    ("texts", "note"),
    [
        (["5%", "7%"], "'5%' is read as 5"),
        (["1,234.5", "2,000.0"], "'1,234.5' is read as 1234.5"),
        (["5,5", "6"], "'5,5' is read as 5.5"),
    ],
)
def test_how_cells_are_read_is_noted(done, iris, texts, note):
    iris["odd"] = [texts[0], texts[0], texts[1]] * 50
    iris.to_csv("iris.csv", index=False)
    words = *FIT, "--method", "svm", "--folds", 0
    result = done(*words)
    assert f"note 'odd': {note}" in " ".join(result.stdout.split())
    outcome = json.loads(done(*words, "--force", "--json").stdout)
    assert outcome["notes"] == [f"'odd': {note}"]
    assert "odd" in outcome["columns"]["numbers"]


def test_decimal_commas_and_encodings_can_be_given(done, iris):
    iris = iris.rename(columns={"petal_width": "größe"})
    options = {"index": False, "sep": ";", "decimal": ","}
    iris.to_csv("iris.csv", encoding="latin-1", **options)
    words = "--separator", ";", "--decimal", ",", "--encoding", "latin-1"
    outcome = json.loads(done(*FIT, *words, "--folds", 0, "--json").stdout)
    assert "größe" in outcome["columns"]["numbers"]
    assert len(outcome["columns"]["numbers"]) == 4
    assert outcome["notes"] == []
    done("predict", "iris.wm", "iris.csv", *words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fit", "iris.csv", "--target", "specis"], "Did you mean 'species'"),
        (["fit", "iris.csv", "--target", "species", "--id", "no"], "no column 'no'"),
        ([*FIT, "--method", "svm", "--set", "gamma=-1"], "gamma"),
        (["cluster", "iris.csv", "-k", 900], "-k must be at most"),
        (["predict", "iris.wm", "other.csv", "--out", "labels.csv"], "lacks"),
    ],
)
def test_what_was_typed_is_checked_before_existing_files(
    done, refused, folder, words, message
):
    done(*FIT, "--folds", 0, "--method", "svm")
    done("cluster", "iris.csv", "-k", 2)
    (folder / "labels.csv").write_text("old")
    (folder / "other.csv").write_text("a,b\n1,2\n")
    problem = refused(*words)
    assert message in problem
    assert "exists" not in problem


def test_existing_files_stay_unless_forced(done, refused, folder):
    done(*FIT, "--folds", 0)
    before = (folder / "iris.wm").read_bytes()
    assert "iris.wm exists; add --force" in refused(*FIT)
    words = *FIT, "--out", "other.wm"
    assert "iris-predictions.csv exists; add --force" in refused(*words)
    done(*FIT, "--folds", 0, "--force", "--method", "svm")
    assert (folder / "iris.wm").read_bytes() != before


def test_supervised_fit_needs_no_unlabeled_rows(done, refused, iris, truth):
    iris.assign(species=truth).to_csv("iris.csv", index=False)
    message = refused(*FIT, "--method", "laplacian")
    assert "Column 'species' has no empty cell: all 150 rows" in message
    assert "--method auto or supervised or svm." in message
    report = " ".join(done(*FIT).stdout.split())
    assert (
        "note all 150 rows are labeled, so only the supervised model was fitted; "
        "leave the target cell of unlabeled rows empty" in report
    )
    assert "inferred 0 rows" in report
    assert (pd.read_csv("iris-predictions.csv")["source"] == "given").all()
    assert done("predict", "iris.wm", "iris.csv").stdout.count("\n") == 151
    words = "--method", "supervised", "--force"
    assert "unlabeled    0" in done(*FIT, *words).stdout
    assert (
        "unlabeled    0"
        in done(*FIT, "--method", "svm", "--folds", 0, "--force").stdout
    )


@pytest.mark.parametrize("method", ["auto", "svm"])
def test_a_placeholder_among_the_labels_is_noted_once(done, iris, method):
    iris["species"] = iris["species"].fillna("?")
    iris.to_csv("iris.csv", index=False)
    result = done(*FIT, "--method", method)
    report = " ".join((result.stdout + result.stderr).split())
    assert report.count("'?' is used as a class") == 1
    assert "add --missing '?'" in report
    result = done(*FIT, "--method", method, "--missing", "?", "--force")
    assert "used as a class" not in result.output


def test_labels_like_numbers_are_noted_once(done, iris):
    some = [i // 2 for i in range(20)] + list(range(10, 40))
    iris["species"] = pd.Series([*some, *[None] * 100], dtype="Int64")
    iris.to_csv("iris.csv", index=False)
    result = done(*FIT, "--method", "svm", "--json")
    (note,) = json.loads(result.stdout)["notes"]
    assert note.startswith("most of the 50 labels are the only one of their class")
    assert result.stderr == ""


def test_scaled_columns_are_not_noted(done, iris):
    iris["date"] = 1.7e9 + 1e7 * np.sin(iris.index)
    iris.to_csv("iris.csv", index=False)
    assert "spread" not in done(*FIT, "--method", "svm").output


def test_warnings_are_notes(done):
    words = "--method", "laplacian", "--folds", 0, "--set", "solver__max_iter=1"
    result = done(*FIT, *words, "--set", "solver=pcg")
    assert result.stderr.startswith("Note: LaplacianSVC after 1 iteration: hit")
    assert max(map(len, result.stderr.splitlines())) <= 80


def test_what_an_estimator_prints_goes_to_standard_error(done):
    words = "--method", "laplacian", "--folds", 0, "--set", "verbose=1"
    result = done(*FIT, *words, "--json")
    assert json.loads(result.stdout)["rows"] == 150
    assert "LaplacianSVC: 149 distinct rows" in result.stderr


CHOSEN = "--set", "candidates=['laplacian']"
PROGRESS = "FewLabelClassifier: laplacian, "


def test_progress_is_shown_if_wanted(done):
    """On the standard error; the model is made as without it."""
    result = done(*FIT, *CHOSEN, "--json", "--verbose")
    assert PROGRESS in result.stderr
    assert json.loads(result.stdout)["rows"] == 150
    assert not widemargin.load("iris.wm")[-1].verbose


@pytest.mark.parametrize(
    ("words", "is_shown"), [((), True), (("--set", "verbose=False"), False)]
)
def test_progress_is_shown_on_a_terminal(done, monkeypatch, words, is_shown):
    monkeypatch.setattr(reports, "is_watched", lambda: True)
    assert (PROGRESS in done(*FIT, *CHOSEN, *words).stderr) == is_shown
    assert not widemargin.load("iris.wm")[-1].verbose


def test_a_class_may_be_called_none(done, iris):
    iris["species"] = iris["species"].map({"setosa": "None", "virginica": "virginica"})
    iris.to_csv("iris.csv", index=False)
    outcome = json.loads(done(*FIT, "--method", "svm", "--json").stdout)
    assert outcome["estimate"]["rows"] == 20


def test_a_key_replaces_the_table(done, iris):
    done(*FIT, "--id", "flower_id")
    found = pd.read_csv("iris-predictions.csv")
    assert found.columns[:2].tolist() == ["flower_id", "label"]
    assert found["flower_id"].tolist() == iris["flower_id"].tolist()


def test_cells_are_written_back_as_they_stand(done):
    rows = [
        f'0{i % 7},"{i % 2}.50 ",x;y,{"ab"[i % 2] if i < 20 else ""}' for i in range(60)
    ]
    Path("odd.csv").write_text("\n".join(["code,size,label,target", *rows]) + "\n")
    done("fit", "odd.csv", "--target", "target")
    lines = Path("odd-predictions.csv").read_text().splitlines()
    assert lines[0].startswith(
        "code,size,label,target,predicted label,probability,p(a)"
    )
    for line, row in zip(lines[1:], rows, strict=True):
        assert line.startswith(row.replace('"', ""))


def test_excel_files_are_read_and_written(done, iris):
    iris.to_excel("iris.xlsx", index=False)
    words = "fit", "iris.xlsx", "--target", "species", "--method", "svm"
    done(*words, "--folds", 0, "--predictions", "found.xlsx")
    found = pd.read_excel("found.xlsx")
    assert found["species"].notna().sum() == 30
    assert found["label"].notna().all()
    iris.assign(color="=1+1").to_csv("iris.csv", index=False)
    done("predict", "iris.wm", "iris.csv", "--out", "again.xlsx")
    again = pd.read_excel("again.xlsx")
    assert (again["color"] == "=1+1").all()  # a text, not the number 2


@pytest.mark.parametrize("n_labeled", [26, 28])
def test_single_labels_are_asked_about(done, iris, n_labeled):
    names = [f"case {i}" for i in range(n_labeled)]
    iris["species"] = pd.Series([*names, *[None] * (150 - n_labeled)], dtype=object)
    iris.to_csv("iris.csv", index=False)
    report = " ".join(done(*FIT, "--method", "svm").stdout.split())
    told = "'species' has 28 different labels in 28 labeled rows; if these are ident"
    assert (told in report) == (n_labeled == 28)


def test_an_identifier_is_left_out_by_its_option(done):
    report = done(*FIT, "--method", "svm", "--id", "picked", "--drop", "color").stdout
    assert "picked (by --id)" in report
    assert "color (by --drop)" in report


def test_rows_to_label_next_are_shown(done):
    report = done(*FIT).stdout
    pattern = r"\n +(\d+): flower_id: (\d+) \| sepal_length: \d.* \| "
    row, key = re.search(pattern, report).groups()  # found without --id
    assert int(row) == int(key) - 999


def test_rows_have_no_key_if_no_column_is_one(done, iris):
    iris.drop(columns="flower_id").to_csv("iris.csv", index=False)
    report = json.loads(done(*FIT, "--json").stdout)["report"]
    assert "label_next_ids" not in report
    assert re.search(r"\n +\d+: sepal_length: \d", done(*FIT, "--force").stdout)


def test_a_key_that_is_not_unique_is_noted(done):
    words = *FIT, "--method", "svm", "--folds", 0
    report = " ".join(done(*words, "--id", "color").stdout.split())
    assert "note 'color' is not unique: 3 values in 150 rows" in report
    assert "unique" not in done(*words, "--id", "flower_id", "--force").stdout


def test_rows_to_label_next_show_their_key(done, iris):
    iris.insert(4, "tag", [f"T-{i}" for i in range(150)])
    iris.to_csv("iris.csv", index=False)
    report = done(*FIT, "--id", "tag").stdout
    pattern = r"\n +(\d+): tag: T-(\d+) \| sepal_length: \d"
    row, tag = re.search(pattern, report).groups()
    assert int(row) == int(tag) + 1
    report = json.loads(done(*FIT, "--id", "tag", "--force", "--json").stdout)["report"]
    assert report["label_next_ids"] == [f"T-{row - 1}" for row in report["label_next"]]


def test_a_few_unreadable_cells_are_missing_in_every_fold(done, iris):
    iris["age"] = [str(i % 17) for i in range(150)]
    iris.loc[[2, 70], "age"] = "unknown"
    iris.to_csv("iris.csv", index=False)
    report = done(*FIT, "--method", "laplacian", "--folds", 2).stdout
    assert "2 cells such as 'unknown' counted as missing" in " ".join(report.split())
    assert "2-fold cross-validation" in report
    done("cluster", "iris.csv", "-k", 2, "--drop", "species")
