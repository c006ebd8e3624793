import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from plug_in import ToyClassifier, ToyMixture
from scipy import sparse
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import make_blobs
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

import widemargin
from widemargin import MaxMarginClustering
from widemargin.estimators import __all__ as ESTIMATORS
from widemargin.estimators._estimator import Estimator
from widemargin.graphs import KnnGraph
from widemargin.kernels import Nystrom, Polynomial, Rbf
from widemargin.model_files import ModelFileError, load, save
from widemargin.model_files.archive import read_archive
from widemargin.model_files.files import to_bytes
from widemargin.model_files.parts import Step
from widemargin.model_files.preparers import check_step, pack_step, unpack_step
from widemargin.rows import Rows
from widemargin.spaces import linear_space

CLASSIFIERS = [
    ("FewLabelClassifier", {"random_state": 0}),
    ("LabelSearchClassifier", {}),
    ("LabelSearchClassifier", {"unlabeled_weight": 1.0, "kernel": "linear"}),
    ("LaplacianRLSC", {}),
    ("LaplacianRLSC", {"kernel": "cosine", "landmarks": Nystrom(20)}),
    ("LaplacianSVC", {"solver": "pcg", "intrinsic_reg": 0.01}),
    ("LaplacianSVC", {"kernel": "laplacian", "graph": KnnGraph(5)}),
    ("LaplacianSVC", {"kernel": Polynomial(degree=2), "landmarks": Nystrom(10)}),
    ("SelfLabelingGPC", {}),
    ("SelfLabelingGPC", {"landmarks": Nystrom(20)}),
    ("SelfLabelingGPC", {"hyperparameters": "marginal-likelihood"}),
    ("SelfLabelingSVC", {}),
    ("LowDensityClassifier", {}),
    ("SpectralClassifier", {}),
    ("SpectralClassifier", {"families": "labels"}),
    ("SpectralClassifier", {"families": ("spectrum",), "kernel": "linear"}),
    ("TransductiveSVC", {}),
    ("TransductiveSVC", {"multi_class": "joint", "landmarks": Nystrom(20)}),
]
TWO_CLASSES = [("TriClassSVC", {}), ("UniversumSVC", {})]
CLUSTERINGS = [
    ("MaxMarginClustering", {"n_clusters": 3, "random_state": 0}),
    ("MaxMarginClustering", {"n_clusters": 3, "kernel": "linear"}),
]

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:LaplacianRLSC"
)


def make(name, parameters):
    cls = getattr(widemargin, name)
    if not issubclass(cls, Estimator):
        pytest.skip(f"{name} does not declare its state yet")
    return cls(**parameters)


def answers(model, X):
    """All predictions of a model for new rows."""
    methods = ("predict", "decision_function", "predict_proba", "predict_log_proba")
    return [getattr(model, name)(X) for name in methods if hasattr(model, name)]


def assert_same_answers(model, loaded, X):
    pairs = zip(answers(model, X), answers(loaded, X), strict=True)
    for expected, got in pairs:
        assert got.dtype == expected.dtype
        assert_array_equal(got, expected)


def test_every_estimator_is_tested():
    tested = {name for name, _ in CLASSIFIERS + TWO_CLASSES + CLUSTERINGS}
    assert tested == set(ESTIMATORS)


@pytest.mark.parametrize(("name", "parameters"), CLASSIFIERS)
def test_several_classes_are_predicted_as_before(name, parameters, three_classes, path):
    X, y = three_classes
    model = make(name, parameters).fit(X, y)
    save(model, path)
    assert_same_answers(model, load(path), X + 0.1)


@pytest.mark.parametrize(("name", "parameters"), CLASSIFIERS + TWO_CLASSES)
def test_two_classes_are_predicted_as_before(name, parameters, two_classes, path):
    X, y = two_classes
    model = make(name, parameters).fit(X, y)
    save(model, path)
    loaded = load(path)
    assert_same_answers(model, loaded, X + 0.1)
    assert repr(loaded) == repr(model)
    save(loaded, path)
    assert path.read_bytes() == to_bytes(model)


@pytest.mark.parametrize(("name", "parameters"), CLUSTERINGS)
def test_clusters_are_predicted_as_before(name, parameters, three_classes, path):
    X, _ = three_classes
    model = make(name, parameters).fit(X)
    save(model, path)
    assert_same_answers(model, load(path), X + 0.1)


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize(
    "estimator", [ToyClassifier(), ToyClassifier("laplacian", n_points=10)], ids=repr
)
def test_sparse_rows_stay_sparse(estimator, container, two_classes, path):
    X, y = two_classes
    X = container(np.where(X > 0, X, 0.0))
    model = estimator.fit(X, y)
    save(model, path)
    loaded = load(path)
    assert_same_answers(model, loaded, X)
    assert type(loaded.function_.points) is type(model.function_.points)


def first_part(model):
    """The fitted function, or the first one of a sum."""
    return getattr(model.function_, "parts", (model.function_,))[0]


@pytest.mark.parametrize(
    "name",
    ["LaplacianSVC", "SelfLabelingGPC", "SpectralClassifier", "TransductiveSVC"],
)
def test_estimators_of_sparse_rows(name, two_classes, path):
    X, y = two_classes
    X = sparse.csr_matrix(np.where(X > 0, X, 0.0))
    model = make(name, {}).fit(X, y)
    save(model, path)
    loaded = load(path)
    assert_same_answers(model, loaded, X)
    assert sparse.issparse(first_part(loaded).points)


@pytest.mark.parametrize("name", ["LaplacianSVC", "SelfLabelingGPC", "TransductiveSVC"])
def test_precomputed_kernels(name, two_classes, path):
    X, y = two_classes
    model = make(name, {"kernel": "precomputed"}).fit(rbf_kernel(X), y)
    save(model, path)
    loaded = load(path)
    assert_same_answers(model, loaded, rbf_kernel(X + 0.1, X))
    assert loaded.privacy_.startswith("The model contains no training rows")


@pytest.mark.parametrize(
    "name",
    ["LaplacianSVC", "SelfLabelingGPC", "SpectralClassifier", "TransductiveSVC"],
)
def test_single_precision_is_kept(name, two_classes, path):
    X, y = two_classes
    X = X.astype(np.float32)
    model = make(name, {}).fit(X, y)
    save(model, path)
    loaded = load(path)
    assert first_part(loaded).points.dtype == first_part(model).points.dtype
    assert_same_answers(model, loaded, X)


def test_the_type_of_numbers_is_kept(two_classes, path):
    X, y = two_classes
    X = X.astype(np.float32)
    save(ToyClassifier().fit(X, y), path)
    assert load(path).function_.points.dtype == np.float32


def test_the_same_model_has_the_same_bytes(model, two_classes, path):
    """Also in a pipeline, and after it was loaded and saved again."""
    pipeline = make_pipeline(StandardScaler(), ToyClassifier()).fit(*two_classes)
    for each in (model, pipeline):
        save(each, path)
        before = path.read_bytes()
        save(load(path), path)
        assert path.read_bytes() == before == to_bytes(each)


@pytest.mark.parametrize("dtype", ["U", object])
def test_names_of_classes_are_kept(dtype, two_classes, path):
    X, y = two_classes
    names = np.array(["yes", "no", None], dtype=object)[y]
    if dtype == "U":  # given as strings, stored as strings
        X, names = X[y >= 0], names[y >= 0].astype("U")
    model = ToyClassifier().fit(X, names)
    save(model, path)
    loaded = load(path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert_same_answers(model, loaded, X)


def test_pipelines_prepare_as_before(three_classes, path):
    X, y = three_classes
    for scaler in (StandardScaler(), MinMaxScaler(), SimpleImputer(add_indicator=True)):
        model = make_pipeline(scaler, ToyClassifier()).fit(X, y)
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
    model = make_pipeline(ColumnTransformer(columns), ToyClassifier()).fit(table, y)
    save(model, path)
    loaded = load(path)
    new = table.assign(color="blue", size=2, a=table["a"] + 0.1)
    for rows in (table, new):
        assert_same_answers(model, loaded, rows)
    assert "training rows: anyone with the file" in loaded.privacy_
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
    model = make_pipeline(steps, ToyClassifier()).fit(table, y)
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
        model = make_pipeline(steps, ToyClassifier()).fit(rows, y)
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
    model = make_pipeline(*steps, ToyClassifier()).fit(X, y)
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
    model = make_pipeline(*steps, ToyClassifier("linear")).fit(TEXTS, y)
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
    model = make_pipeline(steps, ToyClassifier()).fit(table, y)
    save(model, path)
    assert_same_answers(model, load(path), table)


@given(st.sets(st.text(), min_size=1))
def test_any_words_come_back(words):
    vectorizer = CountVectorizer()
    vectorizer.vocabulary_ = {word: i for i, word in enumerate(sorted(words))}
    packed = pack_step(vectorizer)
    assert packed.vocabulary_ == sorted(words)
    assert unpack_step(packed).vocabulary_ == vectorizer.vocabulary_


@pytest.mark.parametrize("words", [["tea", "tea"], ["tea", 3], ["tea", ["cup"]], "tea"])
def test_wrong_words_are_refused(words, path):
    y = np.where(np.arange(30) < 8, np.arange(30) % 2, -1)
    model = make_pipeline(CountVectorizer(), ToyClassifier("linear")).fit(TEXTS, y)
    content = pack_step(model[0]).__getstate__() | {"vocabulary_": words}
    with pytest.raises((TypeError, ValueError), match=r"vocabulary_|unhashable"):
        check_step(Step(CountVectorizer).build(content))


@pytest.mark.parametrize(
    "container", [np.float32, np.asarray, sparse.csr_matrix, sparse.csr_array]
)
def test_mixtures_of_any_rows(container, three_classes, path):
    X, y = three_classes
    X = container(np.where(X > 0, X, 0.0))
    names = np.array(["one", "two", "three", None], dtype=object)[y]
    own = {"few": ToyClassifier(n_points=10), "all": ToyClassifier("linear")}
    model = ToyMixture(own).fit(X, names)
    save(model, path)
    loaded = load(path)
    assert_same_answers(model, loaded, X)
    for inner, again in zip(model.models_, loaded.models_, strict=True):
        points, expected = again.function_.points, inner.function_.points
        assert type(points) is type(expected)
        assert points.dtype == expected.dtype


def test_reports_are_kept(mixture, path):
    save(mixture, path)
    loaded = load(path)
    assert repr(loaded.report_) == repr(mixture.report_)  # NaN included
    assert_array_equal(loaded.weights_, mixture.weights_)


def test_the_report_of_few_labels_is_kept(two_classes, path):
    model = make("FewLabelClassifier", {"random_state": 0}).fit(*two_classes)
    save(model, path)
    loaded = load(path)
    assert str(loaded.report_) == str(model.report_)
    assert loaded.report_.candidates == model.report_.candidates
    for name in ("label_next", "check_rows"):
        rows = getattr(model.report_, name)
        assert len(rows)
        assert_array_equal(getattr(loaded.report_, name), rows)
    assert loaded.names_ == model.names_
    assert not hasattr(loaded, "transduction_")
    content = path.read_bytes()
    for name in (b"transduction_", b"held_out_proba_"):
        assert name not in content


@pytest.mark.parametrize("names", [(0, 1, -1), ("no", "yes", None)], ids=str)
def test_suspect_labels_are_kept(path, names):
    """With class names of any kind; one of the labels is wrong."""
    X, y = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    y[0] = 1 - y[0]
    names = np.array(names, dtype=object if None in names else int)
    model = make("FewLabelClassifier", {"random_state": 0})
    model.fit(X, names[np.where(np.arange(60) < 20, y, 2)])
    save(model, path)
    found, expected = load(path).report_.suspect_labels, model.report_.suspect_labels
    assert expected.rows[0] == 0
    assert expected.suggested[0] == names[1 - y[0]]
    for name, value in vars(expected).items():
        assert_array_equal(getattr(found, name), value)


def test_a_report_of_labels_that_cannot_be_held_out(two_classes, path):
    """Errors that are not known are NaN."""
    X, y = two_classes
    y[np.flatnonzero(y == 0)[1:]] = y[np.flatnonzero(y == 1)[1:]] = -1
    model = make("FewLabelClassifier", {"candidates": ["laplacian"]}).fit(X, y)
    save(model, path)
    assert str(load(path).report_) == str(model.report_)


def test_mixtures_can_be_saved_and_fitted_again(three_classes, path):
    """Also those of candidates that the user gave, of which no fitted state is kept."""
    X, y = three_classes
    own = {"own": ToyClassifier(n_points=10).fit(X, y)}
    model = make_pipeline(StandardScaler(), ToyMixture(own))
    save(model.fit(X, y), path)
    loaded = load(path)
    given = loaded[-1].candidates["own"]
    assert given.get_params() == own["own"].get_params()
    assert not hasattr(given, "function_")
    save(loaded, path)
    assert_same_answers(model, load(path), X)
    assert_same_answers(model, loaded.fit(X, y), X)


@pytest.mark.parametrize(
    ("container", "n_parts"), [(np.asarray, 1), (sparse.csr_matrix, 2)]
)
def test_rows_of_several_models_are_written_once(container, n_parts, two_classes, path):
    X, y = two_classes
    X = container(np.hstack([X] * 100))
    own = {"one": ToyClassifier("linear"), "two": ToyClassifier(Rbf(0.1))}
    save(ToyMixture(own).fit(X, y), path)
    shapes = [part.shape for part in read_archive(path.read_bytes())[1].values()]
    assert sum(np.prod(shape) >= 60 * 300 for shape in shapes) == n_parts
    first, second = (model.function_.points for model in load(path).models_)
    assert np.shares_memory(
        getattr(first, "data", first), getattr(second, "data", second)
    )


def test_privacy_counts_rows_of_several_models_once(two_classes, path):
    X, y = two_classes
    own = {f"{n} rows": ToyClassifier(n_points=n) for n in (5, 60)}
    for kind in (np.asarray, sparse.csr_matrix):
        save(ToyMixture(own).fit(kind(X), y), path)
        assert load(path).privacy_.startswith("The model contains 60 training rows:")


def test_privacy_counts_the_rows_inside(two_classes, path):
    X, y = two_classes
    for n_points, rows in ((10, "10 training rows"), (1, "1 training row")):
        save(ToyClassifier(n_points=n_points).fit(X, y), path)
        assert load(path).privacy_.startswith(f"The model contains {rows}:")


def test_weights_and_positions_are_no_rows(two_classes, path):
    X, y = two_classes
    model = ToyClassifier("precomputed").fit(rbf_kernel(X), y)
    save(model, path)
    assert load(path).privacy_ == "The model contains no training rows."
    model = ToyClassifier("linear").fit(X, y)
    weights = model.function_.points.T @ model.function_.coef
    model.function_ = linear_space(Rows(X)).to_function(weights)
    save(model, path)
    assert load(path).privacy_ == "The model contains no training rows."


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("LaplacianSVC", {"solver": "pcg"}),
        ("TriClassSVC", {}),
        ("LabelSearchClassifier", {}),
    ],
)
def test_rows_that_prediction_does_not_need_are_left_out(
    name, parameters, two_classes, path
):
    """Ten landmarks of sixty rows: no array in the file has sixty entries."""
    model = make(name, parameters | {"landmarks": Nystrom(10)}).fit(*two_classes)
    save(model, path)
    content = path.read_bytes()
    arrays = read_archive(content)[1]
    assert all(60 not in part.shape for part in arrays.values())
    assert b"transduction_" not in content


def test_what_is_not_declared_is_left_out(two_classes, path):
    save(ToyClassifier(n_points=10).fit(*two_classes), path)
    content = path.read_bytes()
    arrays = read_archive(content)[1]
    assert all(60 not in part.shape for part in arrays.values())
    assert b"transduction_" not in content
    assert load(path).result_.solution is None


def test_held_out_probabilities_are_left_out(two_classes, path):
    model = make("SpectralClassifier", {}).fit(*two_classes)
    save(model, path)
    assert load(path).average_.held_out is None
    assert_array_equal(load(path).average_.weights, model.average_.weights)


def test_evidence_of_the_solver_is_kept(model, path):
    save(model, path)
    result = load(path).result_
    assert result.status is model.result_.status
    assert result.history == {"objective": [2.0, 1.0]}
    assert load(path).get_params() == model.get_params()


@pytest.mark.parametrize(
    "parameters",
    [
        {"reg": np.float64(0.5), "n_points": np.int64(20), "options": np.bool_(False)},
        {"reg": np.float32(0.5), "random_state": 3, "options": {0: 1.0, "1": 2.5}},
        {"options": {False: 0.5, np.int64(1): None}},
        {"kernel": np.str_("rbf"), "options": (1, [2.0, "three"], slice(1, None))},
        {"kernel": Rbf("median"), "options": np.float32},
        {"kernel": Rbf(np.float64(0.5)), "options": np.dtype("f4")},
        {"options": np.array(["a", None, 1.5, np.int8(3)], dtype=object)},
        {"options": float("inf"), "reg": 10**20},
    ],
    ids=repr,
)
def test_parameters_keep_their_types(parameters, two_classes, path):
    model = ToyClassifier(**parameters).fit(*two_classes)
    save(model, path)
    loaded = load(path)
    assert repr(loaded.get_params()) == repr(model.get_params())
    for name, value in parameters.items():
        assert type(getattr(loaded, name)) is type(value)


def test_names_of_features_are_kept(two_classes, path):
    X, y = two_classes
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    model = ToyClassifier().fit(table, y)
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


def test_another_version_of_widemargin_warns(model, two_classes, path):
    path.write_bytes(to_bytes(model, version="0.0.1"))
    with pytest.warns(UserWarning, match=r"saved by widemargin 0\.0\.1") as caught:
        loaded = load(path)
    assert caught[0].filename == __file__
    assert_same_answers(model, loaded, two_classes[0])


@pytest.mark.parametrize("n_clusters", [1, 2, 3])
def test_clusters_of_release_0_2_are_loaded(n_clusters, three_classes, path):
    """Their files have a number of clusters as a parameter only."""
    X, _ = three_classes
    model = MaxMarginClustering(n_clusters, ambient_reg=0.1, random_state=0).fit(X)
    expected = model.predict(X)
    for name in ("n_clusters_", "number_choice_", "reach_"):
        delattr(model, name)
    if n_clusters > 1:
        model.set_params(n_clusters=5)  # after the fit
    path.write_bytes(to_bytes(model))
    loaded = load(path)
    assert loaded.n_clusters_ == n_clusters
    assert loaded.number_choice_ is None
    assert_array_equal(loaded.predict(X), expected)


def test_models_that_are_not_fitted_are_not_saved(path):
    with pytest.raises(NotFittedError):
        save(ToyClassifier(), path)
    assert not path.exists()


def test_a_missing_file_is_no_model_file_error(path):
    with pytest.raises(FileNotFoundError):
        load(path)


def test_error_is_a_value_error():
    assert issubclass(ModelFileError, ValueError)
