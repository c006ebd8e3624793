import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from widemargin import LaplacianSVC, MaxMarginClustering, save
from widemargin.kernels import Rbf


@pytest.fixture
def model(done):
    done("fit", "iris.csv", "--target", "species", "--folds", 0)
    return "iris.wm"


def test_to_standard_output(done, model):
    result = done("predict", model, "iris.csv")
    lines = result.stdout.splitlines()
    names = lines[0].split(",")
    assert names[-6:-3] == ["label", "probability", "p(setosa)"]
    assert names[-1] == "review"
    assert lines[1].startswith("1000,5.1,3.5,1.4,0.2,,2024-05-01,setosa,setosa,0.")
    assert len(lines) == 151
    assert result.stderr == ""


def test_from_standard_input_in_other_order_with_other_columns(done, model, iris):
    expected = done("predict", model, "iris.csv").stdout
    frame = iris[iris.columns[::-1]].drop(columns="species").assign(extra="x")
    text = frame.to_csv(index=False, sep=";")
    result = done("predict", model, "-", "--separator", ";", input=text)
    found, expected = (
        pd.read_csv(io.StringIO(text)) for text in (result.stdout, expected)
    )
    ours = ["label", "probability", "p(setosa)", "review"]
    assert found[ours].equals(expected[ours])
    assert found.columns[:8].tolist() == list(frame)


def test_to_a_file(done, refused, model):
    words = "predict", model, "iris.csv", "--out", "labels.tsv"
    report = done(*words).stdout
    assert "setosa (50)" in report
    assert "labels.tsv" in report
    assert len(pd.read_table("labels.tsv")) == 150
    assert "labels.tsv exists; add --force" in refused(*words)
    done(*words, "--force")


def test_json(done, model):
    outcome = json.loads(done("predict", model, "iris.csv", "--json").stdout)
    assert outcome["rows"] == 150
    assert sum(outcome["counts"].values()) == 150
    assert outcome["predictions"][0]["label"] == "setosa"
    words = "predict", model, "iris.csv", "--json", "--out", "labels.csv"
    assert json.loads(done(*words).stdout)["predictions"] == "labels.csv"


def test_unknown_categories_and_gaps_are_no_error(done, model, iris):
    iris["color"] = "violet"
    iris["sepal_width"] = None
    text = iris.to_csv(index=False)
    assert done("predict", model, "-", input=text).stdout.count("\n") == 151


def test_missing_columns(refused, model, iris):
    text = iris.drop(columns=["color", "petal_width"]).to_csv(index=False)
    message = refused("predict", model, "-", input=text)
    assert "lacks the columns 'petal_width', 'color' that the model was" in message


def test_text_in_place_of_numbers(refused, model, iris):
    iris["petal_width"] = "wide"
    message = refused("predict", model, "-", input=iris.to_csv(index=False))
    assert "'petal_width' must hold numbers, got 'wide' in row 1" in message


def test_categories_that_look_like_numbers(done, iris):
    """What is a name in training is a name in prediction."""
    iris["color"] = iris["color"].map({"white": "1", "blue": "x"})
    iris.to_csv("iris.csv", index=False)
    done("fit", "iris.csv", "--target", "species", "--folds", 0)
    expected = done("predict", "iris.wm", "iris.csv").stdout.splitlines()[1]
    text = iris.iloc[1:2].to_csv(index=False)  # all that is left looks like a number
    iris["color"] = "x"
    iris.iloc[1:2].to_csv("other.csv", index=False)
    number = done("predict", "iris.wm", "-", input=text).stdout
    other = done("predict", "iris.wm", "other.csv").stdout
    assert expected
    assert number != other


def test_model_of_an_array(done, refused, iris):
    X = iris.filter(regex="length").to_numpy()
    labels = iris["species"].to_numpy(object)
    labels[iris["species"].isna()] = None
    save(LaplacianSVC().fit(X, labels), "array.wm")
    table = iris.filter(regex="length").to_csv(index=False)
    assert done("predict", "array.wm", "-", input=table).stdout.count("\n") == 151
    assert "2 columns" in refused("predict", "array.wm", "iris.csv")


def test_model_of_texts(done, refused):
    texts = ["tea cup", "red wine"] * 10
    model = make_pipeline(TfidfVectorizer(), LaplacianSVC(intrinsic_reg=0))
    save(model.fit(texts, [0, 1] * 10), "texts.wm")
    table = pd.DataFrame({"note": texts}).to_csv(index=False)
    lines = done("predict", "texts.wm", "-", input=table).stdout.splitlines()
    assert [line.split(",")[1] for line in lines[1:]] == ["0", "1"] * 10
    assert "one column, of texts" in refused("predict", "texts.wm", "iris.csv")
    assert "1, identified by their order" in done("inspect", "texts.wm").stdout


def test_model_of_clusters(done):
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = MaxMarginClustering(
        2, kernel=Rbf(0.5), ambient_reg=0.1, random_state=0
    ).fit(X)
    save(model, "clusters.wm")
    pd.DataFrame(X).to_csv("x.csv", index=False)
    found = pd.read_csv("x.csv")
    lines = done("predict", "clusters.wm", "x.csv").stdout.splitlines()
    assert lines[0].endswith(",cluster")
    assert len(lines) == len(found) + 1


@pytest.mark.parametrize("command", ["predict", "inspect"])
def test_what_is_no_model(refused, command):
    table = ["iris.csv"] if command == "predict" else []
    assert "no model file no.wm" in refused(command, "no.wm", *table)
    assert "iris.csv is not a model file of widemargin;" in refused(
        command, "iris.csv", *table
    )


def test_the_inputs_are_kept(refused, model):
    words = "predict", model, "iris.csv", "--force", "--out"
    assert "iris.csv is the input, which is never replaced" in refused(
        *words, "iris.csv"
    )
    assert ". is a folder" in refused(*words, ".")


def test_words_in_the_wrong_order(refused, model):
    message = refused("predict", "iris.csv", model)
    assert "the MODEL comes first, then the table" in message


def test_cells_that_the_model_does_not_know_are_counted(done, refused, iris):
    iris["amount"] = [f"€{i % 9},50" for i in range(150)]
    iris.loc[:4, "amount"] = "free"
    iris.to_csv("iris.csv", index=False)
    done("fit", "iris.csv", "--target", "species")
    known = done("predict", "iris.wm", "iris.csv", "--out", "same.csv")
    assert "'amount': 5 of 150 cells, such as 'free', are counted" in known.stdout
    assert "'color'" not in known.stdout
    new = iris.tail(40).reset_index(drop=True)
    new.loc[:2, "amount"], new.loc[0, "color"] = "unclear", "pink"
    new.to_csv("new.csv", index=False)
    result = done("predict", "iris.wm", "new.csv")
    notes = " ".join(result.stderr.split())
    assert "Note: 'amount': 3 of 40 cells, such as 'unclear', are counted as" in notes
    assert "Note: 'color': 1 of 40 cells, such as 'pink', is not among the" in notes
    outcome = json.loads(done("predict", "iris.wm", "new.csv", "--json").stdout)
    assert len(outcome["notes"]) == 2
    new["amount"] = "$1.50"
    new.to_csv("new.csv", index=False)
    message = refused("predict", "iris.wm", "new.csv")
    assert "40 of 40 cells cannot be read as such, got '$1.50' in row 1" in message


def test_the_decimal_mark_is_that_of_new_amounts(done, refused, iris):
    """Also if the model was fitted on amounts with a decimal point."""
    iris["amount"] = [f"${i % 9}.50" for i in range(150)]
    iris.to_csv("iris.csv", index=False)
    done("fit", "iris.csv", "--target", "species")
    expected = done("predict", "iris.wm", "iris.csv", "--id", "flower_id").stdout
    iris["amount"] = [f"{i % 9},50" for i in range(150)]
    for name in ("sepal_length", "sepal_width", "petal_length", "petal_width"):
        iris[name] = iris[name].map(lambda x: str(x).replace(".", ","), "ignore")
    iris.to_csv("comma.csv", index=False, sep=";")
    words = "predict", "iris.wm", "comma.csv", "--separator", ";", "--id", "flower_id"
    assert done(*words, "--decimal", ",").stdout == expected
    assert "or add --decimal ','." in refused(*words)
