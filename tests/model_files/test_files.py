import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.impute import SimpleImputer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

from widemargin import (
    FewLabelClassifier,
    LabelSearchClassifier,
    LaplacianRLSC,
    LaplacianSVC,
    MaxMarginClustering,
    RidgeAverageClassifier,
    SelfLabelingGPC,
    SelfLabelingSVC,
    TransductiveSVC,
    TriClassSVC,
    UniversumSVC,
)
from widemargin.estimators import __all__ as ESTIMATORS
from widemargin.kernels import Rbf
from widemargin.model_files import ModelFileError, contents, load, save
from widemargin.model_files.archive import open_archive
from widemargin.model_files.terms import Terms
from widemargin.solvers.evidence import MarginalLikelihood
from widemargin.solvers.informative_vectors import InformativeVectors

pytest.importorskip("skops")

SEVERAL_CLASSES = [
    FewLabelClassifier(random_state=0),
    FewLabelClassifier(["laplacian", "tri-class"], budget="thorough", random_state=0),
    FewLabelClassifier({"own": LaplacianSVC(n_landmarks=10)}, random_state=0),
    LabelSearchClassifier(),
    LabelSearchClassifier(unlabeled_weight=1.0, kernel="linear"),
    LaplacianRLSC(),
    LaplacianRLSC(kernel="cosine", n_landmarks=20, fit_intercept=True),
    LaplacianSVC(solver="pcg", intrinsic_reg=0.01),
    LaplacianSVC(kernel="laplacian"),
    LaplacianSVC(kernel="poly", n_landmarks=10),
    RidgeAverageClassifier(),
    RidgeAverageClassifier(kernel=Rbf("median"), widths=[1.0], ambient_reg=(0.1, 1.0)),
    SelfLabelingGPC(),
    SelfLabelingGPC(landmarks=InformativeVectors(20), probabilities="calibrated"),
    SelfLabelingGPC(landmarks=20),
    SelfLabelingGPC(hyperparameters=MarginalLikelihood(per_feature=True)),
    SelfLabelingSVC(),
    SelfLabelingSVC(kernel="linear"),
    TransductiveSVC(),
    TransductiveSVC(multi_class="joint", n_landmarks=20, unlabeled_weight=1.0),
]
TWO_CLASSES = [
    *(e for e in SEVERAL_CLASSES if getattr(e, "kernel", "rbf") == "rbf"),
    TriClassSVC(),
    TriClassSVC(kernel="linear", balance={0: 0.5, 1: 0.5}),
    UniversumSVC(),
    UniversumSVC(n_landmarks=20),
]
CLUSTERINGS = [
    MaxMarginClustering(2, gamma=0.5, ambient_reg=0.01, random_state=0),
    MaxMarginClustering(3, kernel="linear", search="steepest", random_state=0),
    MaxMarginClustering(3, gamma=0.5, ambient_reg=0.01, n_landmarks=20),
]

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:LaplacianRLSC"
)


def answers(model, X):
    """All that a model says of new rows."""
    asked = ("predict", "decision_function", "predict_proba", "predict_log_proba")
    return [getattr(model, name)(X) for name in asked if hasattr(model, name)]


def assert_same_answers(model, loaded, X):
    pairs = zip(answers(model, X), answers(loaded, X), strict=True)
    for expected, got in pairs:
        assert got.dtype == expected.dtype
        assert_array_equal(got, expected)


def test_every_estimator_is_tested():
    tested = {type(e).__name__ for e in [*TWO_CLASSES, *SEVERAL_CLASSES, *CLUSTERINGS]}
    assert tested == set(ESTIMATORS)


@pytest.mark.parametrize("estimator", SEVERAL_CLASSES, ids=repr)
def test_several_classes_are_told_apart_as_before(estimator, three_classes, path):
    X, y = three_classes
    model = estimator.fit(X, y)
    save(model, path)
    assert_same_answers(model, load(path), X + 0.1)


@pytest.mark.parametrize("estimator", TWO_CLASSES, ids=repr)
def test_two_classes_are_told_apart_as_before(estimator, two_classes, path):
    X, y = two_classes
    model = estimator.fit(X, y)
    save(model, path)
    assert_same_answers(model, load(path), X + 0.1)


@pytest.mark.parametrize("estimator", CLUSTERINGS, ids=repr)
def test_clusters_are_told_apart_as_before(estimator, three_classes, path):
    X, _ = three_classes
    model = estimator.fit(X)
    save(model, path)
    assert_same_answers(model, load(path), X + 0.1)


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize(
    "estimator",
    [
        LaplacianSVC(),
        LaplacianSVC(kernel="laplacian", n_landmarks=10),
        RidgeAverageClassifier(),
        SelfLabelingGPC(),
        TransductiveSVC(kernel="linear"),
    ],
    ids=repr,
)
def test_sparse_rows_stay_sparse(estimator, container, two_classes, path):
    X, y = two_classes
    X = container(np.where(X > 0, X, 0.0))
    model = estimator.fit(X, y)
    save(model, path)
    loaded = load(path)
    assert_same_answers(model, loaded, X)
    assert type(loaded.points_) is type(model.points_)


@pytest.mark.parametrize("cls", [LaplacianSVC, SelfLabelingGPC, TransductiveSVC])
def test_precomputed_kernels(cls, two_classes, path):
    X, y = two_classes
    model = cls(kernel="precomputed").fit(rbf_kernel(X), y)
    save(model, path)
    loaded = load(path)
    assert_same_answers(model, loaded, rbf_kernel(X + 0.1, X))
    assert loaded.privacy_.startswith("No training rows")


@pytest.mark.parametrize(
    "cls", [LaplacianSVC, RidgeAverageClassifier, SelfLabelingGPC, TransductiveSVC]
)
def test_single_precision_is_kept(cls, two_classes, path):
    X, y = two_classes
    X = X.astype(np.float32)
    model = cls().fit(X, y)
    save(model, path)
    loaded = load(path)
    assert loaded.points_.dtype == model.points_.dtype == np.float32
    assert_same_answers(model, loaded, X)


@pytest.mark.parametrize("dtype", ["U", object])
def test_names_of_classes_are_kept(dtype, two_classes, path):
    X, y = two_classes
    names = np.array(["yes", "no", None], dtype=object)[y]
    if dtype == "U":  # given as strings, stored as strings
        X, names = X[y >= 0], names[y >= 0].astype("U")
    model = LaplacianSVC(intrinsic_reg=0.01).fit(X, names)
    save(model, path)
    loaded = load(path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert_same_answers(model, loaded, X)


def test_pipelines_prepare_as_before(three_classes, path):
    X, y = three_classes
    for scaler in (StandardScaler(), MinMaxScaler(), SimpleImputer(add_indicator=True)):
        model = make_pipeline(scaler, LaplacianSVC()).fit(X, y)
        save(model, path)
        assert_same_answers(model, load(path), X + 0.1)


@pytest.mark.parametrize("encoder", [OneHotEncoder, OrdinalEncoder])
def test_tables_of_mixed_columns(encoder, three_classes, path):
    X, y = three_classes
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    table["color"] = np.resize(["red", "green", None], len(table))
    table["size"] = np.resize([1, 2, 5, 7], len(table))
    table.loc[3, "a"] = np.nan
    unknown = {
        OneHotEncoder: {"handle_unknown": "ignore"},
        OrdinalEncoder: {"handle_unknown": "use_encoded_value", "unknown_value": -1},
    }[encoder]
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    names = make_pipeline(
        SimpleImputer(strategy="most_frequent", missing_values=None),
        encoder(**unknown),
    )
    columns = [
        ("numbers", numbers, ["a", "b", "c"]),
        ("names", names, ["color"]),
        ("sizes", encoder(**unknown), ["size"]),
    ]
    table["color"] = table["color"].astype(object).where(table["color"].notna(), None)
    model = make_pipeline(ColumnTransformer(columns), LaplacianSVC()).fit(table, y)
    save(model, path)
    loaded = load(path)
    new = table.assign(color="blue", size=2, a=table["a"] + 0.1)
    for rows in (table, new):
        assert_same_answers(model, loaded, rows)
    assert "training rows are inside" in loaded.privacy_
    assert "categories and words" in loaded.privacy_


@pytest.mark.parametrize(
    "columns",
    [
        pd.Index(["a", "b"]),
        pd.Series(["a", "b"]),
        np.array(["a", "b"]),
        np.array([0, 1]),
        make_column_selector(dtype_include="number"),
        slice("a", "b"),
        slice(None, "b"),
        slice(0, 2),
        [True, True, False],
    ],
    ids=[
        "index",
        "series",
        "names",
        "positions",
        "selector",
        "slice of names",
        "slice to a name",
        "slice of positions",
        "mask",
    ],
)
def test_columns_may_be_named_in_any_way(columns, three_classes, path):
    X, y = three_classes
    table = pd.DataFrame(X[:, :2], columns=["a", "b"])
    table["color"] = np.resize(["red", "green"], len(table))
    steps = ColumnTransformer(
        [("numbers", StandardScaler(), columns), ("names", OneHotEncoder(), ["color"])]
    )
    model = make_pipeline(steps, LaplacianSVC(intrinsic_reg=0.01)).fit(table, y)
    save(model, path)
    assert_same_answers(model, load(path), table)
    assert steps.transformers[0][2] is columns  # the model itself stays as it was


@pytest.mark.parametrize("output", ["default", "pandas"])
@pytest.mark.parametrize("remainder", ["passthrough", "drop"])
def test_columns_may_pass_through(remainder, output, three_classes, path):
    X, y = three_classes
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    columns = [("as it is", "passthrough", [0]), ("scaled", StandardScaler(), [1])]
    steps = ColumnTransformer(columns, remainder=remainder).set_output(transform=output)
    for rows in (X, table) if output == "default" else (table,):
        model = make_pipeline(steps, LaplacianSVC(intrinsic_reg=0.01)).fit(rows, y)
        save(model, path)
        save(load(path), path)
        assert_same_answers(model, load(path), rows)


@pytest.mark.parametrize(
    "steps",
    [
        [PCA(2)],
        [PCA(0.9, whiten=True)],
        [TruncatedSVD(2, random_state=0)],
        [RobustScaler(), Normalizer()],
        [MaxAbsScaler()],
    ],
    ids=repr,
)
def test_projections_and_scalers(steps, three_classes, path):
    X, y = three_classes
    model = make_pipeline(*steps, LaplacianSVC(intrinsic_reg=0.01)).fit(X, y)
    save(model, path)
    assert_same_answers(model, load(path), X + 0.1)


TEXTS = [f"rot café \ud800 {i}" if i % 2 else f"blue tea cup {i}" for i in range(30)]


@pytest.mark.parametrize(
    "steps",
    [
        [TfidfVectorizer()],
        [TfidfVectorizer(stop_words=["tea"], ngram_range=(1, 2), dtype=np.float32)],
        [TfidfVectorizer(analyzer="char", vocabulary=list("tear\n"))],
        [CountVectorizer(binary=True), TfidfTransformer(sublinear_tf=True)],
        [TfidfVectorizer(max_features=5), TruncatedSVD(2, random_state=0)],
    ],
    ids=repr,
)
def test_text_vectorizers(steps, path):
    y = np.where(np.arange(30) < 8, np.arange(30) % 2, -1)
    machine = TransductiveSVC(kernel="linear", unlabeled_weight=0.1)
    model = make_pipeline(*steps, machine).fit(TEXTS, y)
    save(model, path)
    loaded = load(path)
    assert loaded[0].vocabulary_ == model[0].vocabulary_
    assert_same_answers(model, loaded, TEXTS)
    assert isinstance(model[0].vocabulary_, dict)  # the model itself stays as it was


def test_texts_in_a_table(path):
    y = np.where(np.arange(30) < 8, np.arange(30) % 2, -1)
    texts = pd.Series(TEXTS, dtype=object)  # pyarrow has no half characters
    table = pd.DataFrame({"text": texts, "size": np.arange(30.0)})
    steps = ColumnTransformer(
        [("words", TfidfVectorizer(), "text"), ("size", StandardScaler(), ["size"])]
    )
    model = make_pipeline(steps, LaplacianSVC(intrinsic_reg=0.01)).fit(table, y)
    save(model, path)
    assert_same_answers(model, load(path), table)


@given(st.sets(st.text(), min_size=1))
def test_any_words_come_back(words):
    vocabulary = {word: column for column, word in enumerate(words)}
    assert Terms.of(vocabulary).vocabulary() == vocabulary


@pytest.mark.parametrize(
    ("letters", "ends"),
    [
        (b"ab", [1]),
        (b"ab", [1, 3]),
        (b"ab", [2, 1]),
        (b"aa", [1, 2]),
        (b"", []),
        (b"\xff", [1]),
        (b"ab", [-1, 2]),
    ],
)
def test_wrong_words_are_refused(letters, ends):
    terms = Terms(np.frombuffer(letters, dtype=np.uint8), np.array(ends, dtype=int))
    with pytest.raises(ValueError, match=r"vocabulary|codec"):
        terms.vocabulary()


@pytest.mark.parametrize(
    "container", [np.float32, np.asarray, sparse.csr_matrix, sparse.csr_array]
)
def test_mixtures_of_any_rows(container, three_classes, path):
    X, y = three_classes
    X = container(np.where(X > 0, X, 0.0))
    names = np.array(["one", "two", "three", None], dtype=object)[y]
    model = FewLabelClassifier(random_state=0).fit(X, names)
    save(model, path)
    loaded = load(path)
    assert_same_answers(model, loaded, X)
    for machine, again in zip(model.models_, loaded.models_, strict=True):
        assert type(again.points_) is type(machine.points_)
        assert again.points_.dtype == machine.points_.dtype


def test_reports_are_kept(mixture, path):
    save(mixture, path)
    loaded = load(path)
    assert str(loaded.report_) == str(mixture.report_)
    assert loaded.report_.candidates == mixture.report_.candidates
    assert_array_equal(loaded.report_.label_next, mixture.report_.label_next)
    assert_array_equal(loaded.weights_, mixture.weights_)
    assert loaded.names_ == mixture.names_
    assert not hasattr(loaded, "transduction_")


def test_a_report_of_labels_that_cannot_be_held_out(two_classes, path):
    """Errors that are not known are NaN."""
    X, y = two_classes
    y[np.flatnonzero(y == 0)[1:]] = y[np.flatnonzero(y == 1)[1:]] = -1
    model = FewLabelClassifier(["laplacian"]).fit(X, y)
    save(model, path)
    assert str(load(path).report_) == str(model.report_)


def test_mixtures_can_be_saved_and_fitted_again(three_classes, path):
    """Also those of candidates that the user gave, fitted or not."""
    X, y = three_classes
    own = {"own": LaplacianSVC(n_landmarks=10, intrinsic_reg=0.01).fit(X, y)}
    model = make_pipeline(StandardScaler(), FewLabelClassifier(own, random_state=0))
    save(model.fit(X, y), path)
    loaded = load(path)
    given = loaded[-1].candidates["own"]
    assert given.get_params() == own["own"].get_params()
    assert not hasattr(given, "dual_coef_")
    save(loaded, path)
    assert_same_answers(model, load(path), X)
    assert_same_answers(model, loaded.fit(X, y), X)


@pytest.mark.parametrize(
    ("container", "n_parts"), [(np.asarray, 1), (sparse.csr_matrix, 2)]
)
def test_rows_of_several_machines_are_written_once(
    container, n_parts, two_classes, path
):
    X, y = two_classes
    X = container(np.hstack([X] * 100))
    save(FewLabelClassifier(["laplacian", "label-search"]).fit(X, y), path)
    shapes = [shape for _, shape in open_archive(path.read_bytes()).arrays.values()]
    assert sum(np.prod(shape) >= 60 * 300 for shape in shapes) == n_parts


def test_privacy_counts_rows_of_several_machines_once(two_classes, path):
    X, y = two_classes
    own = {f"{n} rows": LaplacianSVC(n_landmarks=n) for n in (5, 60)}
    for kind in (np.asarray, sparse.csr_matrix):
        save(FewLabelClassifier(own).fit(kind(X), y), path)
        assert load(path).privacy_.startswith("60 training rows are inside")
    save(FewLabelClassifier({}).fit(X, y), path)
    assert load(path).privacy_.startswith("12 training rows are inside")


def test_privacy_counts_the_rows_inside(two_classes, path):
    X, y = two_classes
    model = LaplacianSVC(n_landmarks=10, intrinsic_reg=0.01).fit(X, y)
    save(model, path)
    assert load(path).privacy_.startswith("10 training rows are inside")
    linear = MaxMarginClustering(3, kernel="linear", search="steepest").fit(X)
    save(linear, path)
    assert load(path).privacy_.startswith("No training rows are inside")


def test_samples_that_prediction_does_not_need_are_left_out(two_classes, path):
    """Ten landmarks of sixty rows: no array in the file has sixty entries."""
    X, y = two_classes
    for model in (
        LaplacianSVC(n_landmarks=10, solver="pcg"),
        TriClassSVC(n_landmarks=10),
        LabelSearchClassifier(n_landmarks=10),
    ):
        save(model.fit(X, y), path)
        content = path.read_bytes()
        archive = open_archive(content)
        assert all(60 not in shape for _, shape in archive.arrays.values())
        assert b"transduction_" not in content


def test_labels_that_prediction_does_not_need_are_left_out(mixture, ridges, path):
    """Twelve labels: what was said of them is not in the file."""
    for model in (mixture, ridges):
        save(model, path)
        content = path.read_bytes()
        for name in (b"transduction_", b"held_out_proba_"):
            assert name not in content
    shapes = [shape for _, shape in open_archive(content).arrays.values()]
    assert sum(12 in shape for shape in shapes) == 2  # points_ and dual_coef_
    assert load(path).average_.leave_one_out.size == 0
    assert_array_equal(load(path).average_.weights, ridges.average_.weights)


def test_evidence_of_the_solver_is_kept(two_classes, path):
    model = TransductiveSVC().fit(*two_classes)
    save(model, path)
    loaded = load(path)
    assert loaded.result_.status is model.result_.status
    assert loaded.result_.history == model.result_.history
    assert_array_equal(loaded.average_.weights, model.average_.weights)
    assert loaded.get_params() == model.get_params()


@pytest.mark.parametrize(
    "values",
    [
        {"gamma": np.float64(0.5), "degree": np.int64(2), "verbose": np.bool_(False)},
        {"gamma": np.float32(0.5), "random_state": 3, "class_weight": {0: 1.0, 1: 2.5}},
        {"kernel": np.str_("rbf"), "random_state": None, "class_weight": "balanced"},
    ],
)
def test_parameters_keep_their_types(values, two_classes, path):
    model = LaplacianSVC(intrinsic_reg=0.01, **values).fit(*two_classes)
    save(model, path)
    loaded = load(path)
    assert loaded.get_params() == model.get_params()
    for name, value in values.items():
        assert type(getattr(loaded, name)) is type(value)


def test_names_of_features_are_kept(two_classes, path):
    X, y = two_classes
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    model = LaplacianSVC(intrinsic_reg=0.01).fit(table, y)
    save(model, path)
    loaded = load(path)
    assert_array_equal(loaded.feature_names_in_, ["a", "b", "c"])
    assert_same_answers(model, loaded, table)


def test_saving_leaves_the_model_as_it_is(model, two_classes, path):
    before = dict(vars(model))
    save(model, path)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


def test_a_loaded_model_can_be_saved_and_fitted_again(model, two_classes, path):
    X, y = two_classes
    save(model, path)
    loaded = load(path)
    save(loaded, path)
    assert_same_answers(model, load(path), X)
    assert_same_answers(model, loaded.fit(X, y), X)


def test_another_version_of_widemargin_warns(model, two_classes, path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(contents, "__version__", "0.0.1")
        save(model, path)
    with pytest.warns(UserWarning, match=r"saved by widemargin 0\.0\.1") as caught:
        loaded = load(path)
    assert caught[0].filename == __file__
    assert_same_answers(model, loaded, two_classes[0])


def test_models_that_are_not_fitted_are_not_saved(path):
    with pytest.raises(NotFittedError):
        save(LaplacianSVC(), path)
    assert not path.exists()


def test_a_missing_file_is_no_model_file_error(path):
    with pytest.raises(FileNotFoundError):
        load(path)


def test_a_missing_skops_is_named(model, path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(ImportError, match="pip install skops"):
        save(model, path)


def test_error_is_a_value_error():
    assert issubclass(ModelFileError, ValueError)
