import json

import pytest

from widemargin.studio import run as pages
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
    result = run("label", "iris.csv", "--target", "species", "--port", 0)
    assert result.exit_code == 2
    assert "belong to other data" in " ".join(result.stderr.split())


def test_another_target_is_not_taken_for_other_data(done, refused, folder, visited):
    done("label", "iris.csv", "--target", "species", "--port", 0)
    message = refused("label", "iris.csv", "--target", "specis", "--port", 0)
    assert "labels for the column 'species', but the target is 'specis'" in message


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


def test_stored_labels_need_no_target_column(done, folder, iris, labeled):
    iris.drop(columns="species").to_csv("iris.csv", index=False)
    words = ["fit", "iris.csv", "--target", "kind", "--json", "--labels"]
    outcome = json.loads(done(*words, "iris-labels.sqlite").stdout)
    assert sum(outcome["labeled"].values()) == labeled
