import dataclasses
import io
import json
import pickle
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from plug_in import ToyClassifier, ToyMixture
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    StandardScaler,
)
from sklearn.semi_supervised import SelfTrainingClassifier

from widemargin import MaxMarginClustering
from widemargin.kernels import ArdRbf, Custom, Polynomial, Rbf
from widemargin.model_files import ModelFileError, load, save
from widemargin.model_files.files import to_bytes


def read_parts(path):
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def write_parts(path, parts, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression=compression) as file:
        for name, part in parts.items():
            file.writestr(name, part)


def save_unchecked(model, path):
    """Save although the parts of the model do not fit each other."""
    path.write_bytes(to_bytes(model))


def tamper(path, change):
    """Rewrite the tree of a model file; all its checksums are right."""
    parts = read_parts(path)
    tree = json.loads(parts["model.json"])
    change(tree)
    parts["model.json"] = json.dumps(tree)
    write_parts(path, parts)


def attributes(tree):
    """Nodes of the saved estimator's attributes."""
    return tree["model"]["parts"]


def named(name, **parts):
    return {"object": name, "parts": parts}


FOREIGN = {
    "os.system": named("os.system"),
    "builtins.eval": {"type": ["builtins.eval"]},
    "subprocess.Popen": named("subprocess.Popen", args=["touch owned"]),
    "functools.partial": named("functools.partial"),
    "numpy.random.mtrand.RandomState": named("numpy.random.mtrand.RandomState"),
    "numpy.load": {"numpy.load": ["owned"]},
    "os.system as a function": {"function": "os.system"},
    "os.system as a dtype": {"dtype": ["os.system"]},
    "f8,f8": {"dtype": ["f8,f8"]},
    "widemargin.kernels.custom.Custom": named(
        "widemargin.kernels.custom.Custom", function="print"
    ),
    "widemargin.values.Value": named("widemargin.values.Value"),
    "widemargin.estimators._estimator.Classifier": named(
        "widemargin.estimators._estimator.Classifier"
    ),
    "sklearn.preprocessing._function_transformer.FunctionTransformer": named(
        "sklearn.preprocessing._function_transformer.FunctionTransformer"
    ),
    "sklearn.linear_model._logistic.LogisticRegression": named(
        "sklearn.linear_model._logistic.LogisticRegression"
    ),
    "StandardScaler": named("sklearn.preprocessing._data.StandardScaler"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_types_are_refused_by_name(name, model, path, tmp_path, monkeypatch):
    """Before anything is built, although the foreign part is the last one."""
    monkeypatch.chdir(tmp_path)
    save(model, path)
    tamper(path, lambda tree: attributes(tree).update(options=FOREIGN[name]))
    monkeypatch.setattr(Rbf, "__init__", lambda *_, **__: pytest.fail("was built"))
    with pytest.raises(ModelFileError, match=r"can load") as caught:
        load(path)
    assert name.split(" ")[0] in str(caught.value)
    assert not (tmp_path / "owned").exists()


def test_a_module_is_not_even_imported(model, path):
    save(model, path)
    tamper(path, lambda tree: attributes(tree).update(options=named("this.s")))
    with pytest.raises(ModelFileError, match=r"this\.s"):
        load(path)
    assert "this" not in sys.modules


@pytest.mark.parametrize(
    "node",
    [
        {},
        {"tuple": 3},
        {"list": []},
        {"dict": {"a": 1}},
        {"dict": [["a"]]},
        {"dict": [[["a"], 1]]},
        {"array": "none.npy"},
        {"array": 0},
        {"objects": [[]]},
        {"objects": [{"tuple": []}]},
        {"slice": [0, 1]},
        {"slice": [0, "1", None]},
        {"numpy.float64": [[1]]},
        {"numpy.float64": 1.0},
        {"numpy.float64": []},
        {"numpy.int8": [300]},
        {"dtype": ["O8,O8"]},
        {"dtype": ["U99999999"]},
        {"dtype": "f8"},
        {"tuple": [], "more": 1},
        {"object": ["os.system"], "parts": {}},
        {"object": "widemargin.kernels.rbf.Rbf"},
        {"object": "widemargin.kernels.rbf.Rbf", "parts": {"width": 1.0}},
        {"object": "widemargin.kernels.rbf.Rbf", "parts": {"gamma": -1.0}},
        {"object": "widemargin.kernels.rbf.Rbf", "parts": {"gamma": "wide"}},
        {"object": "widemargin.spaces.function.FunctionSum", "parts": {}},
        {"csr_matrix": [[1, 1], {"array": "0.npy"}]},
        {"csr_matrix": [[1, 1], 0, 0, 0]},
    ],
    ids=repr,
)
def test_nodes_that_make_no_sense_are_refused(node, model, path):
    save(model, path)
    tamper(path, lambda tree: attributes(tree).update(options=node))
    with pytest.raises(ModelFileError, match="can load"):
        load(path)


def test_zip_files_of_others_are_refused(path):
    write_parts(path, {"other.json": b"{}"})
    with pytest.raises(ModelFileError, match="was not written by widemargin"):
        load(path)
    for tree in (b"[]", b"{}", b'{"format": 2, "versions": {}, "model": 1}'):
        write_parts(path, {"model.json": tree})
        with pytest.raises(ModelFileError, match="was not written by widemargin"):
            load(path)


def test_files_of_release_0_1_are_refused_with_the_way_out(path):
    write_parts(path, {"schema.json": b"{}"})
    advice = r"a skops file, .* of widemargin 0\.1,.* fit .* again, or load .* 0\.1"
    with pytest.raises(ModelFileError, match=advice):
        load(path)


def test_files_of_a_later_format_are_refused(model, path):
    save(model, path)
    tamper(path, lambda tree: tree.update(format=3))
    with pytest.raises(ModelFileError, match="in format 3, and this version reads"):
        load(path)


def test_attributes_cannot_hide_methods(model, two_classes, path):
    save(model, path)
    tamper(path, lambda tree: attributes(tree).update(predict=1))
    with pytest.raises(ModelFileError, match=r"wrong parts \(predict\)"):
        load(path)
    save(make_pipeline(StandardScaler(), ToyClassifier()).fit(*two_classes), path)
    tamper(path, lambda tree: attributes(tree).update(predict=1))
    with pytest.raises(ModelFileError, match=r"wrong parts \(predict\)"):
        load(path)


def test_only_what_is_declared_is_read(model, path):
    save(model, path)
    tamper(path, lambda tree: attributes(tree).update(transduction_=[1]))
    with pytest.raises(ModelFileError, match=r"wrong parts \(transduction_\)"):
        load(path)


@pytest.mark.parametrize(
    "bad",
    [
        np.array([{}], dtype=object),
        np.zeros(3, dtype=[("a", "f8")]),
        np.zeros(3, dtype="M8[s]"),
        np.zeros(3, dtype=np.complex128),
        np.zeros(3, dtype=np.longdouble),
    ],
    ids=["pickled", "structured", "dates", "complex", "long double"],
)
def test_arrays_of_other_types_are_refused(bad, model, path):
    save(model, path)
    parts = read_parts(path)
    stream = io.BytesIO()
    np.save(stream, bad, allow_pickle=True)
    parts[next(name for name in parts if name.endswith(".npy"))] = stream.getvalue()
    write_parts(path, parts)
    with pytest.raises(
        ModelFileError, match=r"holds an? (pickled )?array (of|\(dtype)"
    ):
        load(path)


@pytest.mark.parametrize("shape", [(10**10,), (2, 10**12), (3,), (0,), (-1,)])
def test_sizes_are_compared_with_the_bytes(shape, model, path):
    """A short file that states that it holds 80 GB is refused."""
    save(model, path)
    parts = read_parts(path)
    stream = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    name = next(name for name in parts if name.endswith(".npy"))
    parts[name] = stream.getvalue() + bytes(16)
    write_parts(path, parts)
    with pytest.raises(ModelFileError, match=r"of shape"):
        load(path)


@pytest.mark.parametrize("columns", [[0], slice(0, 1), [True, False, False]])
def test_a_large_number_of_features_takes_no_memory(columns, two_classes, path):
    steps = ColumnTransformer([("first", "passthrough", columns)])
    save(make_pipeline(steps, ToyClassifier()).fit(*two_classes), path)

    def change(tree):
        attributes(tree)["steps"][0]["tuple"][1]["parts"]["n_features_in_"] = 10**15

    tamper(path, change)
    assert load(path)[0].transformers_[0][1].n_features_in_ == 1
    save(ToyClassifier().fit(*two_classes), path)
    tamper(path, lambda tree: attributes(tree).update(n_features_in_=10**15))
    with pytest.raises(ModelFileError, match="points of Function"):
        load(path)


def test_empty_strings_cannot_be_many(model, path):
    save(model, path)
    parts = read_parts(path)
    stream = io.BytesIO()
    header = {"descr": "<U0", "fortran_order": False, "shape": (10**12,)}
    np.lib.format.write_array_header_1_0(stream, header)
    parts[next(name for name in parts if name.endswith(".npy"))] = stream.getvalue()
    write_parts(path, parts)
    with pytest.raises(ModelFileError, match=r"of shape"):
        load(path)


def test_compressed_files_are_refused(model, path):
    save(model, path)
    parts = read_parts(path) | {"bomb.npy": bytes(10**7)}
    write_parts(path, parts, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelFileError, match="holds a compressed part"):
        load(path)


def test_deep_nesting_is_refused(model, path):
    def change(tree):
        deep = []
        for _ in range(300):
            deep = [deep]
        attributes(tree)["options"] = deep

    save(model, path)
    tamper(path, change)
    with pytest.raises(ModelFileError, match="nested too deep"):
        load(path)


def test_a_model_that_holds_itself_is_not_saved(model, path):
    model.options = [1]
    model.options.append(model.options)
    with pytest.raises(ModelFileError, match=r"nested too deep|recursion"):
        save(model, path)


def test_estimators_may_be_nested_but_not_deep(two_classes, path):
    """However deep, nothing in a file may make `load` call itself without end."""
    model = ToyMixture({"one": ToyMixture()}).fit(*two_classes)
    save(model, path)
    assert load(path).models_[0].models_[0].classes_.tolist() == [0, 1]
    model = ToyMixture({"zero": ToyMixture({"one": ToyMixture()})}).fit(*two_classes)
    with pytest.raises(ModelFileError, match="nests estimators too deep"):
        save(model, path)

    def change(tree):
        for _ in range(3):
            parts = attributes(tree) | {"models_": [tree["model"]]}
            tree["model"] = tree["model"] | {"parts": parts}

    tamper(path, change)
    with pytest.raises(ModelFileError, match="nests estimators too deep"):
        load(path)


def test_very_deep_json_is_refused(model, path):
    save(model, path)
    parts = read_parts(path) | {"model.json": b"[" * 10**6}
    write_parts(path, parts)
    with pytest.raises(ModelFileError):
        load(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip file", b"\0" * 10**5])
def test_other_files_are_refused(content, path):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=str(path)):
        load(path)


def test_a_file_of_another_kind_is_not_called_damaged(path):
    path.write_bytes(pickle.dumps([1, 2]))
    with pytest.raises(ModelFileError, match="was not written by widemargin"):
        load(path)


def check_refused(model, path, message):
    """Neither saved nor, if written all the same, loaded."""
    with pytest.raises(ModelFileError, match=message):
        save(model, path)
    assert not path.exists()
    save_unchecked(model, path)
    with pytest.raises(ModelFileError, match=message):
        load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_features_in_", 2.5),
        ("n_features_in_", 0),
        ("classes_", np.arange(5)),
        ("classes_", np.zeros((2, 1))),
        ("classes_", np.array([0])),
        ("classes_", np.array([1, 1])),
        ("classes_", np.array(["b", "a"])),
        ("classes_", np.array(["a", "a"], dtype=object)),
        ("classes_", np.array([0.0, np.nan])),
        ("classes_", np.array(["a", 1], dtype=object)),
        ("classes_", [0, 1]),
        ("calibration_", "steep"),
        ("calibration_", None),
        ("function_", "steep"),
        ("function_", None),
    ],
    ids=repr,
)
def test_state_that_does_not_fit_is_refused(name, value, model, path):
    setattr(model, name, value)
    blamed = "function_" if name == "classes_" and len(value) == 5 else name
    check_refused(model, path, f"{blamed} of ToyClassifier does not fit")


@pytest.mark.parametrize(
    "change",
    [
        {"points": np.zeros((5, 3))},
        {"points": np.zeros((60, 2))},
        {"points": np.zeros((60, 3), dtype=int)},
        {"points": np.full((60, 3), np.nan)},
        {"points": None},
        {"coef": np.zeros(60)},
        {"coef": np.full((60, 1), np.inf)},
        {"intercept": np.zeros(3)},
        {"intercept": 0.0},
        {"kernel": "rbf"},
    ],
    ids=repr,
)
def test_functions_that_do_not_fit_are_refused(change, model, path):
    model.function_ = dataclasses.replace(model.function_, **change)
    check_refused(model, path, f"{next(iter(change))} of Function")


@pytest.mark.parametrize("kernel", [ArdRbf(np.ones(2)), Rbf("scale")], ids=repr)
def test_kernels_that_cannot_be_evaluated_are_refused(kernel, model, path):
    """Widths for other features, or a width that was left to the data."""
    model.function_ = dataclasses.replace(model.function_, kernel=kernel)
    check_refused(model, path, "predict of ToyClassifier fails")


def test_models_that_predict_no_numbers_are_refused(model, path):
    kernel = Polynomial(gamma=1.0, degree=400, coef0=10.0)
    model.function_ = dataclasses.replace(model.function_, kernel=kernel)
    check_refused(model, path, "is too large for float64")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.array([0.5, 0.25, 0.25]), "weights_ of ToyMixture"),
        (np.array([np.nan, 1.0]), "weights_ of ToyMixture"),
        (None, "weights_ of ToyMixture"),
    ],
)
def test_estimators_add_checks_of_their_own(value, message, mixture, path):
    mixture.weights_ = value
    check_refused(mixture, path, message)


@pytest.mark.parametrize("change", [{"note": 3}, {"error": "small"}, {"error": None}])
def test_types_of_fields_are_checked(change, mixture, path):
    mixture.report_ = dataclasses.replace(mixture.report_, **change)
    check_refused(mixture, path, f"{next(iter(change))} of ToyReport must be")


@pytest.mark.parametrize("place", [0, 1])
def test_estimators_inside_of_estimators_are_checked(place, mixture, path):
    inner = mixture.models_[place]
    inner.function_ = dataclasses.replace(inner.function_, intercept=np.zeros(7))
    check_refused(mixture, path, "intercept of Function does not fit")


@pytest.mark.parametrize(
    "other",
    [
        StandardScaler(),
        make_pipeline(StandardScaler(), ToyClassifier()),
        SelfTrainingClassifier(LogisticRegression()),
    ],
    ids=["step", "pipeline", "foreign"],
)
@pytest.mark.parametrize("place", ["models_", "candidates"])
def test_other_things_inside_of_estimators_are_refused(other, place, mixture, path):
    if place == "models_":
        mixture.models_[1] = other
    else:
        mixture.candidates = {"odd one": other}
    with pytest.raises(ModelFileError, match=rf"{type(other).__name__} at .*{place}"):
        save(mixture, path)
    assert not path.exists()


def test_functions_of_candidates_are_not_saved(two_classes, path):
    own = ToyClassifier(kernel=lambda A, B: A @ B.T)
    model = ToyMixture({"own": own}).fit(*two_classes)
    with pytest.raises(ModelFileError, match="holds a function at"):
        save(model, path)


def test_sparse_rows_of_a_mixture_are_checked(two_classes, path):
    X, y = two_classes
    model = ToyMixture().fit(sparse.csr_matrix(X), y)
    model.models_[0].function_.points.indices[0] = 3
    check_refused(model, path, "columns below 3")


@pytest.mark.parametrize("column", [-1, 3, 2**31 - 1])
def test_sparse_rows_beyond_the_matrix_are_refused(column, two_classes, path):
    X, y = two_classes
    model = ToyClassifier().fit(sparse.csr_matrix(X), y)
    model.function_.points.indices[0] = column
    check_refused(model, path, "columns below 3")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_n_features_outs", [1]),
        ("drop_idx_", np.array([7], dtype=object)),
        ("categories_", [np.array([5.0, 2.0, 1.0])]),
        ("_infrequent_enabled", True),
    ],
)
def test_encoders_that_write_beyond_their_matrix(name, value, two_classes, path):
    X, y = two_classes
    X = np.resize([1.0, 2.0, 5.0], (len(X), 1))
    model = make_pipeline(OneHotEncoder(), ToyClassifier()).fit(X, y)
    setattr(model[0], name, value)
    with pytest.raises(ModelFileError, match="OneHotEncoder"):
        save(model, path)
    save_unchecked(model, path)
    with pytest.raises(ModelFileError, match="OneHotEncoder"):
        load(path)


def test_steps_inside_of_steps_are_checked(two_classes, path):
    """An encoder that writes beyond its matrix, where no encoder belongs."""
    X, y = two_classes
    X = np.where(X > 5.0, np.nan, X)
    model = make_pipeline(SimpleImputer(add_indicator=True), ToyClassifier()).fit(X, y)
    encoder = OneHotEncoder().fit([[True] * 3, [False] * 3])
    encoder._n_features_outs = [10**6, 1, 1 - 10**6]
    model[0].indicator_ = encoder
    save_unchecked(model, path)
    with pytest.raises(ModelFileError, match="_n_features_outs of OneHotEncoder"):
        load(path)


@pytest.mark.parametrize("place", [-1, 1, 10**9])
def test_words_beyond_the_matrix_are_refused(place, path):
    """A file that holds a dict of words, not the list that `save` makes of it."""
    texts, y = ["tea cup", "red wine"] * 5, [0, 1] * 5
    model = make_pipeline(CountVectorizer(dtype=float), ToyClassifier("linear"))
    save(model.fit(texts, y), path)
    words = model[0].vocabulary_ | {"tea": place}

    def change(tree):
        vectorizer = attributes(tree)["steps"][0]["tuple"][1]["parts"]
        vectorizer["vocabulary_"] = {"dict": [[*item] for item in words.items()]}

    tamper(path, change)
    with pytest.raises(ModelFileError, match="vocabulary_ of CountVectorizer"):
        load(path)


def test_an_address_is_not_taken_for_an_array(two_classes, path):
    """NumPy reads from an object itself where in memory its numbers are."""
    model = make_pipeline(MinMaxScaler(), ToyClassifier()).fit(*two_classes)
    address = {"data": (8, False), "shape": (3,), "typestr": "<f8", "version": 3}
    model[0].scale_ = StandardScaler()
    vars(model[0].scale_)["__array_interface__"] = address
    check_refused(model, path, r"parts \(__array_interface__\)")


@pytest.mark.parametrize("value", [-1.0, 0.0, np.nan, np.inf])
def test_widths_that_are_none_are_refused(value, model, path):
    save(model, path)

    def change(tree):
        kernel = attributes(tree)["function_"]["parts"]["kernel"]
        kernel["parts"]["gamma"] = value

    tamper(path, change)
    with pytest.raises(ModelFileError, match="gamma of Rbf must be"):
        load(path)


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (StandardScaler, "mean_", np.nan),
        (StandardScaler, "scale_", 0.0),
        (StandardScaler, "scale_", 1e-320),
        (MinMaxScaler, "min_", np.inf),
        (MinMaxScaler, "scale_", np.nan),
        (lambda: PCA(2), "components_", np.nan),
        (lambda: PCA(2, whiten=True), "explained_variance_", np.nan),
    ],
)
def test_steps_that_give_no_finite_numbers_are_refused(
    make, name, value, two_classes, path
):
    """One wrong number is enough, which a row of zeros would not show."""
    model = make_pipeline(make(), ToyClassifier()).fit(*two_classes)
    save(model, path)
    getattr(model[0], name).flat[-1] = value
    path.unlink()
    check_refused(model, path, "of Pipeline (fails|gives no finite numbers)")


def test_names_of_columns_are_texts_and_those_of_the_steps(two_classes, path):
    X = pd.DataFrame(two_classes[0], columns=list("abc"))
    steps = ColumnTransformer([("some", StandardScaler(), ["a", "b"])])
    model = make_pipeline(steps, ToyClassifier()).fit(X, two_classes[1])
    names = model[0].feature_names_in_
    for wrong in (["a", "b", 1.5], ["a", "c", "d"], ["a", "b"]):
        model[0].feature_names_in_ = np.array(wrong, dtype=object)
        save_unchecked(model, path)
        with pytest.raises(ModelFileError):
            load(path)
    model[0].feature_names_in_ = names
    save(model, path)


def test_weights_of_words_are_finite(path):
    """Also those of words that no trial row holds."""
    texts = [f"word{i} tea" for i in range(2000)]
    model = make_pipeline(TfidfVectorizer(), ToyClassifier("linear"))
    model.fit(texts, [0, 1] * 1000)
    model[0].idf_[-1] = np.nan
    check_refused(model, path, "idf_ of TfidfTransformer")


SLOW = [
    "(a+)+$", r"(\w+)+!", "(a|a)*b", "(a|aa)+$", "(x+x+)+y", "(.*)*c", "(a*){9}b",
    r"\w*\w*\w*\w*!", "a?" * 30 + "a" * 30, r"(\w+)\1+", "(?=(a+))a*b", "(?:a+)+b",
    "((a+)b?)+$", "[(](a+)+", r"\)(a+)*", "(a+)+?b",
]  # fmt: skip
QUICK = [
    r"(?u)\b\w\w+\b", "[a-z]+", r"\w+|[^\w\s]+", "[A-Za-z]+(?:'[a-z]+)?", r"\S+",
    r"[)*+]\w{2,5}", r"\b[^\d\W]+\b", r"\w+?-", r"\(\w*\)",
]  # fmt: skip


@pytest.mark.parametrize("pattern", SLOW)
def test_patterns_that_could_take_forever_are_refused(pattern, path):
    model = make_pipeline(TfidfVectorizer(), ToyClassifier("linear"))
    model.fit(["tea cup", "red wine"] * 3, [0, 1] * 3)
    model[0].token_pattern = pattern
    check_refused(model, path, "which could take forever")


@pytest.mark.parametrize("pattern", QUICK)
def test_patterns_of_words_are_saved(pattern, path):
    model = make_pipeline(CountVectorizer(token_pattern=pattern), ToyClassifier())
    texts = ["tea's cup- (x) )ab", "red wine", "a1 b2"] * 3
    save(model.fit(texts, [0, 1, 1] * 3), path)
    assert (load(path).predict(texts) == model.predict(texts)).all()


def test_encoders_behind_other_steps_are_saved(two_classes, path):
    """They know what the steps before them make, and that is not known here."""
    X, y = np.sign(two_classes[0]) + 5.0, two_classes[1]
    steps = MinMaxScaler((3, 4)), OneHotEncoder(handle_unknown="error")
    model = make_pipeline(*steps, ToyClassifier("linear")).fit(X, y)
    save(model, path)
    assert (load(path).predict(X) == model.predict(X)).all()


def test_steps_without_an_estimator_are_not_saved(two_classes, path):
    X, _ = two_classes
    for model in (StandardScaler(), make_pipeline(StandardScaler())):
        with pytest.raises(ModelFileError, match="in place of an estimator"):
            save(model.fit(X), path)
        save_unchecked(model, path)
        with pytest.raises(ModelFileError, match="in place of an estimator"):
            load(path)
        path.unlink()


def test_functions_are_not_saved(two_classes, path):
    X, y = two_classes
    model = ToyClassifier(kernel=lambda A, B: A @ B.T).fit(X, y)
    with pytest.raises(ModelFileError, match=r"holds a function.*precomputed"):
        save(model, path)
    model.set_params(kernel="linear")
    assert isinstance(model.function_.kernel, Custom)
    with pytest.raises(ModelFileError, match=r"kernels\.custom\.Custom"):
        save(model, path)
    assert not path.exists()


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_random_states_are_not_saved(make, two_classes, path):
    X, y = two_classes
    model = ToyClassifier().fit(X, y)
    before = model.decision_function(X)
    model.set_params(random_state=make(0))
    with pytest.raises(ModelFileError, match=r"set_params\(random_state=0\)"):
        save(model, path)
    assert not path.exists()
    save(model.set_params(random_state=0), path)
    np.testing.assert_array_equal(load(path).decision_function(X), before)


@pytest.mark.parametrize(
    "value",
    [{1, 2}, b"bytes", np.zeros(2, dtype=complex), np.longdouble(1), 1j, object()],
    ids=lambda value: type(value).__name__,
)
def test_values_of_other_types_are_not_saved(value, model, path):
    model.set_params(options=value)
    with pytest.raises(ModelFileError, match=r"ToyClassifier cannot be saved"):
        save(model, path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: FunctionTransformer(np.log1p), "FunctionTransformer"),
        (lambda: FunctionTransformer(lambda X: X), "FunctionTransformer"),
        (
            lambda: ColumnTransformer([("f", FunctionTransformer(np.abs), [0])]),
            "FunctionTransformer",
        ),
    ],
)
def test_pipelines_with_functions_are_not_saved(make, name, two_classes, path):
    X, y = two_classes
    steps = make_pipeline(make(), ToyClassifier()).fit(np.abs(X), y)
    with pytest.raises(ModelFileError, match=name):
        save(steps, path)
    assert not path.exists()


@pytest.mark.parametrize(
    "options",
    [
        {"tokenizer": str.split, "token_pattern": None},
        {"analyzer": str.split},
        {"preprocessor": str.lower},
        {"input": "filename"},
        {"vocabulary": {"tea": 0, "cup": 1}},
    ],
    ids=lambda options: next(iter(options)),
)
def test_vectorizers_with_functions_or_files_are_not_saved(options, tmp_path, path):
    texts = ["tea cup", "red wine", "tea tea", "wine wine"]
    if options == {"input": "filename"}:
        for i, text in enumerate(texts):
            (tmp_path / f"{i}.txt").write_text(text)
        texts = [str(tmp_path / f"{i}.txt") for i in range(4)]
    model = make_pipeline(TfidfVectorizer(**options), ToyClassifier())
    model.fit(texts, [0, 1, 0, 1])
    with pytest.raises(ModelFileError, match="cannot be saved"):
        save(model, path)
    assert not path.exists()


def test_other_models_are_not_saved(two_classes, path):
    X, y = two_classes
    search = GridSearchCV(ToyClassifier(), {"reg": [0.5]}, cv=2)
    for model in (LogisticRegression(), search):
        known = y >= 0
        with pytest.raises(ModelFileError, match="cannot be saved"):
            save(model.fit(X[known], y[known]), path)


def test_a_cache_of_a_pipeline_is_refused(two_classes, tmp_path, path):
    """Its files are pickles."""
    model = Pipeline([("scale", StandardScaler()), ("fit", ToyClassifier())]).fit(
        *two_classes
    )
    save(model, path)
    tamper(path, lambda tree: attributes(tree).update(memory=str(tmp_path)))
    with pytest.raises(ModelFileError, match="folder of pickles"):
        load(path)
    with pytest.raises(ModelFileError, match=r"set_params\(memory=None\)"):
        save(model.set_params(memory=str(tmp_path)), path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_clusters_", None),
        ("n_clusters_", 0),
        ("n_clusters_", "many"),
        ("number_choice_", 3),
        ("reach_", Rbf(1.0)),
    ],
)
def test_clusterings_that_do_not_fit_are_refused(name, value, two_classes, path):
    model = MaxMarginClustering(2, random_state=0).fit(two_classes[0])
    setattr(model, name, value)
    path.write_bytes(to_bytes(model))
    message = f"{name} of MaxMarginClustering does not fit"
    with pytest.raises(ModelFileError, match=message):
        load(path)
    delattr(model, name)
    path.write_bytes(to_bytes(model))
    with pytest.raises(ModelFileError, match=message):
        load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("best", 99),
        ("best", -1),
        ("agreement", np.zeros(2)),
        ("stability", np.zeros((24, 1))),
        ("is_sound", np.ones(3, dtype=bool)),
        ("parameters", (1, 2)),
    ],
)
def test_choices_that_do_not_fit_are_refused(name, value, two_classes, path):
    model = MaxMarginClustering(2, random_state=0).fit(two_classes[0])
    model.choice_ = dataclasses.replace(model.choice_, **{name: value})
    path.write_bytes(to_bytes(model))
    with pytest.raises(ModelFileError, match="of Choice does not fit"):
        load(path)
