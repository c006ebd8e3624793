import json

FIT = "fit", "iris.csv", "--target", "species", "--folds", 0


def test_candidates_are_shown(done):
    done(*FIT)
    report = " ".join(done("inspect", "iris.wm").stdout.split())
    assert "estimator FewLabelClassifier(random_state=0)" in report
    assert "weight held-out error changed supervised 0." in report
    assert "% on new rows (estimated from 30 held-out labels)" in report
    assert "label next rows " in report
    facts = json.loads(done("inspect", "iris.wm", "--json").stdout)
    assert facts["status"] is None
    weights = [line["weight"] for line in facts["report"]["candidates"]]
    assert abs(sum(weights) - 1) < 1e-9


def test_words_are_inside_only_where_there_were_some(done):
    words = "--method", "supervised", "--force"
    for more, is_said in [((), True), (("--drop", "color"), False)]:
        done(*FIT, *words, *more)
        report = " ".join(done("inspect", "iris.wm").stdout.split())
        assert "Its preprocessing contains column statistics" in report
        assert ("categories and words" in report) == is_said


def test_parameters_may_be_sequences(done):
    done(*FIT, "--method", "supervised", "--set", "families=['labels']")
    facts = json.loads(done("inspect", "iris.wm", "--json").stdout)
    assert facts["parameters"]["families"] == ["labels"]


def test_inspect(done):
    done(*FIT, "--method", "laplacian")
    report = " ".join(done("inspect", "iris.wm").stdout.split())
    assert "estimator LaplacianSVC(random_state=0)" in report
    assert "classes 3: setosa, versicolor, virginica" in report
    assert "categories 1: color" in report
    assert "The model contains" in report
    facts = json.loads(done("inspect", "iris.wm", "--json").stdout)
    assert facts["classes"] == ["setosa", "versicolor", "virginica"]
    assert facts["columns"]["categories"] == ["color"]
    assert facts["parameters"]["kernel"] == "rbf"
    assert facts["features"] == 4 + 3  # white, blue and missing
    assert facts["status"] == "converged"
    assert facts["report"] is None
