import json

import numpy as np
import pandas as pd
import pytest

from widemargin.studio import run as pages
from widemargin.studio.contents import describe_rows
from widemargin.studio.sources import stored_column
from widemargin.studio.state import Event, State
from widemargin.studio.store import Store


@pytest.fixture
def visited(monkeypatch):
    """Let pages end at once; what they said."""
    said = []

    def serve(server, say, *, open_browser):
        said.append((server.url, open_browser))
        say("The page was here.")

    monkeypatch.setattr(pages, "serve", serve)
    return said


def test_a_page_for_a_table(done, folder, visited):
    result = done("label", "iris.csv", "--target", "species", "--port", 0)
    assert "iris.csv: 150 rows." in result.stdout
    assert "30 labels in iris-labels.sqlite" in result.stdout
    assert visited[0][0].startswith("http://127.0.0.1:")
    assert visited[0][1]
    assert (folder / "iris-labels.sqlite").exists()
    result = done("label", "iris.csv", "--target", "species", "--json", "--no-browser")
    outcome = json.loads(result.stdout)
    assert (outcome["labels"], outcome["rows"]) == (30, 150)
    assert not visited[1][1]


def test_a_changed_table_is_noticed(done, run, folder, iris, visited):
    done("label", "iris.csv", "--target", "species", "--port", 0)
    iris.loc[5, "petal_width"] = 99.0
    iris.to_csv("iris.csv", index=False)
    words = "label", "iris.csv", "--target", "species", "--port", 0
    result = run(*words)
    assert result.exit_code == 2
    said = " ".join(result.stderr.split())
    assert "other data: values in the column 'petal_width' have changed. Rest" in said


def test_other_columns_in_use_are_named(done, run, folder, visited):
    words = "label", "iris.csv", "--target", "species", "--port", 0
    done(*words)
    result = run(*words, "--drop", "petal_width", "--categorical", "sepal_width")
    assert result.exit_code == 2
    said = " ".join(result.stderr.split())
    assert "'petal_width' was used and is left out now" in said
    assert "'sepal_width' was used as numbers and is used as categories now" in said
    assert "Use the same options, such as --drop, as before" in said


def test_labels_that_the_table_has_got_since_are_counted(done, folder, iris, visited):
    words = "label", "iris.csv", "--target", "species", "--port", 0
    result = done(*words)
    assert result.stdout.startswith("Reading iris.csv ...\n")
    assert "30 new labels read from the input." in result.stdout
    store = Store("iris-labels.sqlite")
    for row in (1, 2):
        store.append(Event("label", f"b{row}", "ann", (row,), "setosa", "map"))
    store.close()
    assert "new label" not in done(*words).stdout
    iris.loc[[2, 3, 6], "species"] = "virginica", "setosa", "Setosa"
    iris.loc[0, "species"] = None  # an emptied cell keeps its label
    iris.to_csv("iris.csv", index=False)
    said = " ".join(done(*words).stdout.split())
    assert (
        "3 new labels read from the input, 1 of which replaces a label of the" in said
    )
    assert "the labels 'setosa' and 'Setosa' are two classes" in said
    assert "34 labels in iris-labels.sqlite" in said


def test_another_target_is_not_taken_for_other_data(done, refused, folder, visited):
    done("label", "iris.csv", "--target", "species", "--port", 0)
    message = refused("label", "iris.csv", "--target", "specis", "--port", 0)
    assert "labels for the column 'species', but the target is 'specis'" in message


def test_the_order_of_day_and_month_can_be_given(done, folder, iris, visited):
    iris.assign(picked=[f"{i % 9 + 1}/{i % 7 + 1}/2024" for i in range(150)]).to_csv(
        "iris.csv", index=False
    )
    words = "label", "iris.csv", "--target", "species", "--port", 0
    said = " ".join(done(*words).stdout.split())
    assert "if the day comes first, add --day-first" in said
    result = done(*words, "--day-first", "--labels", "other.sqlite")
    assert "--day-first" not in result.stdout


def test_placeholders_among_the_labels_are_noted(done, folder, iris, visited):
    iris.loc[1, "species"] = "?"
    iris.to_csv("iris.csv", index=False)
    result = done("label", "iris.csv", "--target", "species", "--port", 0)
    assert "'?' is used as a class; if it marks" in " ".join(result.stdout.split())
    words = "--labels", "other.sqlite", "--missing", "?", "--port", 0
    result = done("label", "iris.csv", "--target", "species", *words)
    assert "used as a class" not in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.csv"], "Cannot read nowhere.csv"),
        (["-"], "needs a file"),
        (["iris.csv", "--host", "0.0.0.0"], "--unsafe-public"),
        (["iris.csv", "--labels", "iris.csv"], "not a file of labels"),
        (["iris.csv", "--target", "a\x07b"], "control characters"),
        (["iris.csv", "--text", "nope"], "no column 'nope'"),
    ],
)
def test_what_cannot_be_labeled_is_refused(refused, visited, words, message):
    assert message in refused("label", *words)


@pytest.fixture
def labeled(done, folder, visited, truth):
    """iris-labels.sqlite with 30 given labels and 20 that were chosen."""
    done("label", "iris.csv", "--target", "species", "--port", 0)
    store = Store("iris-labels.sqlite")
    for row in range(1, 150, 8):
        if row % 5:
            name = str(truth[row])
            store.append(Event("label", f"b{row}", "ann", (row,), name, "suggested"))
    n_labels = len(store.catch_up(State()).labels)
    store.close()
    return n_labels


def test_a_fit_reads_stored_labels(done, refused, labeled):
    words = ["fit", "iris.csv", "--target", "species", "--json", "--labels"]
    outcome = json.loads(done(*words, "iris-labels.sqlite").stdout)
    assert sum(outcome["labeled"].values()) == labeled > 30
    assert any("random rows" in note for note in outcome["report"]["notes"])
    report = " ".join(done("inspect", "iris.wm").stdout.split())
    counts = outcome["report"]["held_out_random"], outcome["report"]["held_out"]
    assert f"from {counts[0]} of {counts[1]} held-out labels, those of random" in report
    assert "no file of labels" in refused(*words, "nowhere.sqlite", "--force")


def test_stored_labels_of_another_table_are_refused(run, folder, iris, labeled):
    iris[:100].to_csv("fewer.csv", index=False)
    result = run(
        "fit", "fewer.csv", "--target", "species", "--labels", "iris-labels.sqlite"
    )
    assert result.exit_code == 2
    assert "labels of 150 rows, but the table has 100" in " ".join(
        result.stderr.split()
    )


def test_stored_labels_of_changed_rows_are_refused(refused, done, iris, labeled):
    """Whatever options the table is labeled and fitted with."""
    words = "--target", "species", "--labels", "iris-labels.sqlite", "--out", "m.wm"
    iris.sort_values("petal_width", ignore_index=True).to_csv("sorted.csv", index=False)
    message = refused("fit", "sorted.csv", *words)
    assert "another table than this one: the rows are in another order" in message
    assert message.endswith("that was labeled (iris.csv), or restore it.")
    iris.assign(picked="2024-05-02").to_csv("other.csv", index=False)
    assert "column 'picked' have" in refused("fit", "other.csv", *words)
    options = "--drop", "color", "--categorical", "sepal_width", "--folds", 0
    method = "--method", "supervised"
    done("fit", "iris.csv", *words, *options, *method)


def test_stored_labels_of_another_target_are_refused(refused, labeled):
    words = "--target", "color", "--labels", "iris-labels.sqlite", "--out", "m.wm"
    message = refused("fit", "iris.csv", *words)
    assert "labels for the column 'species', but the target is 'color'" in message
    assert "--target species" in message


def test_labels_of_an_older_file_are_checked_first(refused, done, iris, labeled):
    store = Store("iris-labels.sqlite")
    store.note(contents=None)
    store.close()
    words = "--target", "species", "--labels", "iris-labels.sqlite"
    assert "run widemargin label" in refused("fit", "iris.csv", *words)
    done("label", "iris.csv", "--target", "species", "--port", 0)
    done("fit", "iris.csv", *words, "--method", "supervised", "--folds", 0)


def test_labels_of_texts_cannot_be_compared_with_a_table(done, folder, visited, rng):
    (folder / "notes.txt").write_text("a cat\na dog\nanother cat\nno dog\n" * 5)
    done("label", "notes.txt", "--port", 0)
    store = Store("notes-labels.sqlite")
    for row, name in ((0, "cat"), (1, "dog")):
        store.append(Event("label", f"b{row}", "ann", (row,), name, "map"))
    store.append(Event("class", "c", "ann", label="bird"))
    store.close()
    pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc")).to_csv("e.csv")
    words = "--labels", "notes-labels.sqlite", "--method", "supervised"
    result = done("fit", "e.csv", "--target", "label", *words, "--folds", 0)
    assert "labels of notes.txt, whose rows cannot be" in " ".join(
        result.stderr.split()
    )


def test_a_class_that_is_not_used_does_not_make_texts_of_numbers(tmp_path):
    frame = pd.DataFrame({"a": np.arange(4.0), "label": ["0", "1", None, None]})
    store = Store(tmp_path / "l.sqlite")
    contents = describe_rows(frame[["a"]], "table")
    store.bind("", 4, contents=contents, source="t.npz", is_file=True)
    frame["label"] = [0, 1, -1, -1]
    store.append(Event("label", "a", "ann", (0, 2), "0", "map"))
    store.append(Event("class", "b", "ann", label="ten"))
    store.close()
    column, _ = stored_column(frame, frame, "label", store.path)
    assert column.dtype == "Int64"
    assert column.dropna().tolist() == [0, 0]


def test_stored_labels_need_no_target_column(done, folder, iris, labeled):
    iris.drop(columns="species").to_csv("iris.csv", index=False)
    words = ["fit", "iris.csv", "--target", "kind", "--json", "--labels"]
    outcome = json.loads(done(*words, "iris-labels.sqlite").stdout)
    assert sum(outcome["labeled"].values()) == labeled
