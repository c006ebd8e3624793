import json


def test_inspect(done):
    done("fit", "iris.csv", "--target", "species", "--folds", 0)
    report = " ".join(done("inspect", "iris.wm").stdout.split())
    assert "estimator LaplacianSVC(random_state=0)" in report
    assert "classes 3: setosa, versicolor, virginica" in report
    assert "categories 1: color" in report
    assert "training rows are inside" in report
    facts = json.loads(done("inspect", "iris.wm", "--json").stdout)
    assert facts["classes"] == ["setosa", "versicolor", "virginica"]
    assert facts["columns"]["categories"] == ["color"]
    assert facts["parameters"]["kernel"] == "rbf"
    assert facts["features"] == 4 + 3  # white, blue and missing
