import dataclasses
import io
import json
import pickle
import sys
import zipfile
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
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

from widemargin import (
    FewLabelClassifier,
    LaplacianSVC,
    MaxMarginClustering,
    SelfLabelingGPC,
    TransductiveSVC,
)
from widemargin.kernels import Custom, Linear, Rbf
from widemargin.model_files import ModelFileError, contents, load, packing, save

skops_io = pytest.importorskip("skops.io")


def read_parts(path):
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def write_parts(path, parts, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression=compression) as file:
        for name, part in parts.items():
            file.writestr(name, part)


def save_unchecked(model, path):
    """Save although the parts of the model do not fit each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "check_fitted", lambda model: None)
        save(model, path)


def tamper(path, change):
    """Rewrite the schema of a model file; all its checksums are right."""
    parts = read_parts(path)
    schema = json.loads(parts["schema.json"])
    change(schema)
    parts["schema.json"] = json.dumps(schema)
    write_parts(path, parts)


def attributes(schema):
    """Nodes of the saved machine's attributes."""
    return schema["content"]["model"]["content"]["content"]


def state_of(value):
    """The node that skops itself writes, without arrays, for a value."""
    with zipfile.ZipFile(io.BytesIO(skops_io.dumps(value))) as file:
        schema = json.loads(file.read("schema.json"))
    schema.pop("protocol")
    schema["__id__"] = -1
    return schema


def node(module, name, loader, **content):
    return {"__module__": module, "__class__": name, "__loader__": loader, **content}


ARGUMENTS = node(
    "builtins",
    "tuple",
    "TupleNode",
    content=[node("builtins", "str", "JsonNode", content='"touch owned"')],
)
FOREIGN = {
    "os.system": node("os", "system", "FunctionNode"),
    "builtins.eval": node("builtins", "eval", "TypeNode"),
    "os.system as a type": node("os", "system", "TypeNode"),
    "numpy.random.mtrand.RandomState": node(
        "numpy.random.mtrand", "RandomState", "RandomStateNode", content=ARGUMENTS
    ),
    "numpy.random._generator.Generator": node(
        "numpy.random._generator", "Generator", "RandomGeneratorNode", content={}
    ),
    "functools.partial": node("functools", "partial", "PartialNode", content={}),
    "operator.methodcaller": node(
        "operator", "methodcaller", "OperatorFuncNode", attrs=ARGUMENTS
    ),
    "subprocess.Popen": node(
        "subprocess", "Popen", "ConstructorFromReduceNode", content=ARGUMENTS
    ),
    "subprocess.Popen as an object": node("subprocess", "Popen", "ObjectNode"),
    "os.system as a list": node("os", "system", "ListNode", content=[]),
    "os.system as a dict": node("os", "system", "DictNode", content={}, key_types={}),
    "os.system as an array": node("os", "system", "NdArrayNode", type="numpy", file=""),
    "widemargin.kernels.custom.Custom": node(
        "widemargin.kernels.custom", "Custom", "ObjectNode", content=ARGUMENTS
    ),
    "sklearn.preprocessing._function_transformer.FunctionTransformer": node(
        "sklearn.preprocessing._function_transformer",
        "FunctionTransformer",
        "ObjectNode",
        content=ARGUMENTS,
    ),
    "sklearn.tree._tree.Tree": node("sklearn.tree._tree", "Tree", "TreeNode"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_types_are_refused_by_name(name, model, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(model, path)
    tamper(path, lambda schema: attributes(schema).update(verbose=FOREIGN[name]))
    monkeypatch.setattr(skops_io, "load", lambda *_, **__: pytest.fail("was built"))
    with pytest.raises(ModelFileError, match=r"can be trusted") as caught:
        load(path)
    assert name.split(" ")[0] in str(caught.value)
    assert not (tmp_path / "owned").exists()


def test_a_module_is_not_even_imported(model, path):
    foreign = node("this", "s", "FunctionNode")
    save(model, path)
    tamper(path, lambda schema: attributes(schema).update(verbose=foreign))
    with pytest.raises(ModelFileError, match=r"this\.s"):
        load(path)
    assert "this" not in sys.modules


@pytest.mark.parametrize(
    "value",
    [np.random.RandomState(0), partial(print, 1), np.sin, print, {1, 2}, b"bytes"],
    ids=["RandomState", "partial", "ufunc", "builtin", "set", "bytes"],
)
def test_values_that_skops_would_build_are_refused(value, model, path):
    save(model, path)
    tamper(path, lambda schema: attributes(schema).update(verbose=state_of(value)))
    with pytest.raises(ModelFileError, match="trusted"):
        load(path)


def test_files_that_skops_wrote_are_refused(path):
    """A foreign model, although skops trusts it."""
    X = np.arange(6.0)[:, None]
    skops_io.dump(LogisticRegression().fit(X, X[:, 0] > 2), path)
    with pytest.raises(ModelFileError, match="LogisticRegression"):
        load(path)


def test_one_number_for_two_nodes_is_refused(model, path):
    """What skops would take for the second one was checked in another place."""

    def change(schema):
        nodes = attributes(schema)
        nodes["tol"]["__id__"] = nodes["kernel_"]["__id__"]

    save(model, path)
    tamper(path, change)
    with pytest.raises(ModelFileError, match="two things under one number"):
        load(path)


def test_attributes_cannot_hide_methods(model, two_classes, path):
    value = node("builtins", "str", "JsonNode", content="1")
    save(model, path)
    key = node("builtins", "str", "TypeNode")

    def change(schema):
        content = schema["content"]["model"]["content"]
        content["content"]["predict"] = value
        content["key_types"]["content"].append(key)

    tamper(path, change)
    with pytest.raises(ModelFileError, match=r"wrong attributes \(predict\)"):
        load(path)


@pytest.mark.parametrize("protocol", [0, 1, -1, True, "2", None])
def test_other_protocols_of_skops_are_refused(protocol, model, path):
    save(model, path)
    tamper(path, lambda schema: schema.update(protocol=protocol))
    with pytest.raises(ModelFileError, match="protocol"):
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
    """A short file that says it holds 80 GB must not be believed."""
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
    def change(schema):
        deep = node("builtins", "list", "ListNode", content=[])
        for _ in range(300):
            deep = node("builtins", "list", "ListNode", content=[deep])
        attributes(schema)["verbose"] = deep

    save(model, path)
    tamper(path, change)
    with pytest.raises(ModelFileError, match="nested too deep"):
        load(path)


def test_very_deep_json_is_refused(model, path):
    save(model, path)
    parts = read_parts(path) | {"schema.json": b"[" * 10**6}
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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("points_", np.zeros((5, 3))),
        ("dual_coef_", np.zeros(60)),
        ("intercept_", np.zeros(3)),
        ("points_", np.zeros((60, 2))),
        ("points_", np.zeros((60, 3), dtype=int)),
        ("n_features_in_", 2.5),
        ("classes_", np.arange(5)),
        ("kernel_", "rbf"),
        ("slope_", "steep"),
    ],
)
def test_arrays_that_do_not_fit_each_other_are_refused(name, value, model, path):
    setattr(model, name, value)
    with pytest.raises(ModelFileError, match=f"wrong {name}"):
        save(model, path)
    save_unchecked(model, path)
    with pytest.raises(ModelFileError, match=f"wrong {name}"):
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
        ("dual_coef_", np.zeros((12, 1))),
        ("dual_coef_", np.zeros((0, 12, 1))),
        ("dual_coef_", np.zeros((2, 12, 1), dtype=int)),
        ("kernels_", [Rbf(1.0)]),
        ("kernels_", [Rbf(1.0)] * 3),
        ("kernels_", (Rbf(1.0), Rbf(1.0))),
        ("kernels_", [Rbf(1.0), Linear()]),
        ("kernels_", [Rbf(1.0), Rbf(0.0)]),
        ("kernels_", [Rbf(1.0), Rbf(-1.0)]),
        ("kernels_", [Rbf(1.0), Rbf(np.nan)]),
        ("kernels_", [Rbf(1.0), Rbf(np.inf)]),
        ("kernels_", [Rbf(1.0), Rbf("wide")]),
        ("kernels_", [Rbf(1.0), Rbf(np.ones(3))]),
        ("points_", np.zeros((11, 3))),
        ("points_", np.zeros((12, 2))),
        ("points_", np.zeros(36)),
        ("intercept_", np.zeros(2)),
        ("intercept_", 0.0),
        ("classes_", np.arange(5)),
        ("n_features_in_", 4),
        ("gamma_", "scale"),
        ("gamma_", -1.0),
        ("slope_", np.ones(2)),
        ("average_", None),
    ],
)
def test_ridges_that_do_not_fit_each_other_are_refused(name, value, ridges, path):
    assert ridges.dual_coef_.shape == (2, 12, 1)
    setattr(ridges, name, value)
    wrong = "points_" if name == "n_features_in_" else name
    if value is None:  # is not packed either
        with pytest.raises(ModelFileError, match=f"wrong {wrong}"):
            save(ridges, path)
        return
    check_refused(ridges, path, f"wrong {wrong}")


@pytest.mark.parametrize(
    "change", [{"losses": np.zeros((2, 3))}, {"weights": np.zeros(2)}]
)
def test_an_average_that_does_not_fit_is_refused(change, ridges, path):
    ridges.average_ = dataclasses.replace(ridges.average_, **change)
    check_refused(ridges, path, "wrong average_")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weights_", np.array([0.5, 0.25, 0.25])),
        ("weights_", np.array([0.5, 0.4])),
        ("weights_", np.array([1.5, -0.5])),
        ("weights_", np.array([np.nan, 1.0])),
        ("weights_", np.array([np.inf, 0.0])),
        ("weights_", np.array([1, 0])),
        ("weights_", [0.5, 0.5]),
        ("names_", ["supervised"]),
        ("names_", ["supervised", 1]),
        ("names_", ("supervised", "laplacian")),
        ("classes_", np.zeros((2, 1))),
        ("classes_", np.array([0])),
        ("n_features_in_", 2.5),
        ("report_", "good"),
    ],
)
def test_mixtures_that_do_not_fit_are_refused(name, value, mixture, path):
    setattr(mixture, name, value)
    check_refused(mixture, path, f"wrong {name}")


@pytest.mark.parametrize(
    "change",
    [
        {"error": "small"},
        {"n_labeled": 2.5},
        {"helps": 1},
        {"messages": "none"},
        {"messages": (1,)},
        {"label_next": np.zeros(2)},
        {"label_next": np.zeros((2, 2), dtype=int)},
        {"candidates": ()},
        {"candidates": ("a", "b")},
    ],
    ids=repr,
)
def test_reports_that_do_not_fit_are_refused(change, mixture, path):
    mixture.report_ = dataclasses.replace(mixture.report_, **change)
    check_refused(mixture, path, rf"wrong report_\.{next(iter(change))}")


@pytest.mark.parametrize("change", [{"name": 3}, {"weight": "all"}, {"n_rows": 0.5}])
def test_lines_of_reports_that_do_not_fit_are_refused(change, mixture, path):
    first, second = mixture.report_.candidates
    lines = first, dataclasses.replace(second, **change)
    mixture.report_ = dataclasses.replace(mixture.report_, candidates=lines)
    check_refused(mixture, path, rf"wrong report_\.{next(iter(change))}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("points_", np.zeros((60, 2))),
        ("dual_coef_", np.zeros(5)),
        ("n_features_in_", 2),
        ("classes_", np.array([0, 2])),
        ("classes_", np.array([-1, 0])),
        ("classes_", np.array([1, 0])),
        ("classes_", np.array([0, 0])),
        ("classes_", np.array([0.0, 1.0])),
        ("classes_", np.array(["a", "b"])),
        ("kernel_", "rbf"),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_machines_of_a_mixture_are_checked(name, value, place, mixture, path):
    if place == 0 and name == "kernel_":
        name, value = "kernels_", [Rbf(1.0)] * 7
    setattr(mixture.models_[place], name, value)
    check_refused(mixture, path, rf"wrong {name}")


def test_mixtures_of_mixtures_are_refused(mixture, two_classes, path, monkeypatch):
    """However deep, nothing in a file may make `load` call itself without end."""
    mixture.models_[1] = FewLabelClassifier(["laplacian"]).fit(*two_classes)
    with pytest.raises(ModelFileError, match="holds a FewLabelClassifier as candidate"):
        save(mixture, path)
    monkeypatch.setattr(packing, "_check_candidates", lambda pairs: None)
    check_refused(mixture, path, "holds FewLabelClassifier as candidate 'laplacian'")


@pytest.mark.parametrize("place", ["models_", "candidates"])
@pytest.mark.parametrize("make", [StandardScaler, MaxMarginClustering])
def test_other_things_in_a_mixture_are_refused(make, place, mixture, path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(20, 3))
    other = make().fit(X)
    if place == "models_":
        mixture.models_[1] = other
    else:
        mixture.candidates = {"laplacian": other}
    with pytest.raises(ModelFileError, match="as candidate 'laplacian'"):
        save(mixture, path)
    monkeypatch.setattr(packing, "_check_candidates", lambda pairs: None)
    monkeypatch.setattr(packing, "clone", lambda estimator: estimator)
    check_refused(mixture, path, "candidate 'laplacian'")


def test_parts_inside_of_given_candidates_are_checked(mixture, path, monkeypatch):
    """An encoder that writes beyond its matrix, where no encoder belongs."""
    encoder = OneHotEncoder().fit([[True] * 3, [False] * 3])
    encoder._n_features_outs = [10**6, 1, 1 - 10**6]
    mixture.candidates = {"own": LaplacianSVC(class_weight={0: encoder, 1: 1.0})}
    monkeypatch.setattr(packing, "clone", lambda estimator: estimator)
    save_unchecked(mixture, path)
    with pytest.raises(ModelFileError, match="wrong _n_features_outs"):
        load(path)


@pytest.mark.parametrize(
    ("own", "name"),
    [
        (SelfTrainingClassifier(LogisticRegression()), "SelfTrainingClassifier"),
        (make_pipeline(StandardScaler(), LaplacianSVC()), "Pipeline"),
    ],
    ids=["foreign", "pipeline"],
)
def test_candidates_of_others_are_named(own, name, two_classes, path):
    candidates = {"fine": LaplacianSVC(intrinsic_reg=0.01), "odd one": own}
    model = FewLabelClassifier(candidates).fit(*two_classes)
    with pytest.raises(ModelFileError, match=f"holds a {name} as candidate 'odd one'"):
        save(model, path)
    assert not path.exists()


def test_functions_of_candidates_are_not_saved(two_classes, path):
    own = LaplacianSVC(kernel=lambda A, B: A @ B.T, intrinsic_reg=0.01)
    model = FewLabelClassifier({"own": own}).fit(*two_classes)
    with pytest.raises(ModelFileError, match="holds a function as kernel"):
        save(model, path)


def test_sparse_rows_of_a_mixture_are_checked(two_classes, path):
    X, y = two_classes
    model = FewLabelClassifier(["laplacian"]).fit(sparse.csr_matrix(X), y)
    model.models_[1].points_.indices[0] = 3
    save(model, path)
    with pytest.raises(ModelFileError, match="columns below 3"):
        load(path)


@pytest.mark.parametrize("column", [-1, 3, 2**31 - 1])
def test_sparse_rows_beyond_the_matrix_are_refused(column, two_classes, path):
    X, y = two_classes
    model = LaplacianSVC(intrinsic_reg=0.01).fit(sparse.csr_matrix(X), y)
    model.points_.indices[0] = column
    save(model, path)
    with pytest.raises(ModelFileError, match="columns below 3"):
        load(path)


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
    model = make_pipeline(OneHotEncoder(), LaplacianSVC(intrinsic_reg=0.01)).fit(X, y)
    setattr(model[0], name, value)
    with pytest.raises(ModelFileError, match="OneHotEncoder with"):
        save(model, path)
    save_unchecked(model, path)
    with pytest.raises(ModelFileError, match="OneHotEncoder with"):
        load(path)


def test_steps_inside_of_steps_are_checked(two_classes, path):
    """An encoder that writes beyond its matrix, where no encoder belongs."""
    X, y = two_classes
    X = np.where(X > 5.0, np.nan, X)
    model = make_pipeline(SimpleImputer(add_indicator=True), LaplacianSVC()).fit(X, y)
    encoder = OneHotEncoder().fit([[True] * 3, [False] * 3])
    encoder._n_features_outs = [10**6, 1, 1 - 10**6]
    model[0].indicator_ = encoder
    save_unchecked(model, path)
    with pytest.raises(ModelFileError, match="wrong _n_features_outs"):
        load(path)


@pytest.mark.parametrize("place", [-1, 1, 10**9])
def test_words_beyond_the_matrix_are_refused(place, path, monkeypatch):
    """A file that holds a dict of words, not what `save` makes of it."""
    texts, y = ["tea cup", "red wine"] * 5, [0, 1] * 5
    machine = LaplacianSVC(intrinsic_reg=0, kernel="linear")
    model = make_pipeline(CountVectorizer(dtype=float), machine).fit(texts, y)
    model[0].vocabulary_ = model[0].vocabulary_ | {"tea": place}
    monkeypatch.setattr(packing.Terms, "of", lambda words: words)
    save_unchecked(model, path)
    with pytest.raises(ModelFileError, match="wrong vocabulary_"):
        load(path)


def test_an_address_is_not_taken_for_an_array(two_classes, path):
    """NumPy asks objects themselves where in memory their numbers are."""
    model = make_pipeline(MinMaxScaler(), LaplacianSVC()).fit(*two_classes)
    address = {"data": (8, False), "shape": (3,), "typestr": "<f8", "version": 3}
    model[0].scale_ = StandardScaler()
    vars(model[0].scale_)["__array_interface__"] = address
    with pytest.raises(ModelFileError, match=r"attributes \(__array_interface__\)"):
        save(model, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "check_schema", lambda archive: None)
        save_unchecked(model, path)
    with pytest.raises(ModelFileError, match=r"attributes \(__array_interface__\)"):
        load(path)


def test_deep_nesting_under_one_number_is_refused(model, path):
    """The comparison of two nodes must not end in an error of its own."""
    deep = []
    for _ in range(600):
        deep = [deep]

    def change(schema):
        twin = node("builtins", "str", "JsonNode", content="1", extra=deep, __id__=-1)
        attributes(schema).update(verbose=twin, tol=dict(twin))

    save(model, path)
    tamper(path, change)
    with pytest.raises(ModelFileError, match="trusted"):
        load(path)


def test_a_prior_is_a_number(two_classes, path):
    model = SelfLabelingGPC().fit(*two_classes)
    model._prior = np.zeros(3)
    with pytest.raises(ModelFileError, match="wrong _prior"):
        save(model, path)


def test_steps_without_a_machine_are_not_saved(two_classes, path):
    X, _ = two_classes
    for model in (StandardScaler(), make_pipeline(StandardScaler())):
        with pytest.raises(ModelFileError, match="in place of a machine"):
            save(model.fit(X), path)
        save_unchecked(model, path)
        with pytest.raises(ModelFileError, match="in place of a machine"):
            load(path)
        path.unlink()


def test_functions_are_not_saved(two_classes, path):
    X, y = two_classes
    model = LaplacianSVC(kernel=lambda A, B: A @ B.T, intrinsic_reg=0.01).fit(X, y)
    with pytest.raises(ModelFileError, match=r"holds a function.*precomputed"):
        save(model, path)
    model.set_params(kernel="linear")
    assert isinstance(model.kernel_, Custom)
    with pytest.raises(ModelFileError, match=r"kernels\.custom\.Custom"):
        save(model, path)
    assert not path.exists()


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_random_states_are_not_saved(make, two_classes, path):
    X, y = two_classes
    model = TransductiveSVC()
    model.fit(X, y)
    before = model.decision_function(X)
    model.set_params(random_state=make(0))
    with pytest.raises(ModelFileError, match=r"set_params\(random_state=0\)"):
        save(model, path)
    assert not path.exists()
    save(model.set_params(random_state=0), path)
    np.testing.assert_array_equal(load(path).decision_function(X), before)


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
    steps = make_pipeline(make(), LaplacianSVC(intrinsic_reg=0.01)).fit(np.abs(X), y)
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
    machine = LaplacianSVC(intrinsic_reg=0)
    model = make_pipeline(TfidfVectorizer(**options), machine).fit(texts, [0, 1, 0, 1])
    with pytest.raises(ModelFileError, match="cannot be saved"):
        save(model, path)
    assert not path.exists()


def test_other_models_are_not_saved(two_classes, path):
    X, y = two_classes
    search = GridSearchCV(SelfLabelingGPC(), {"noise": [0.5]}, cv=2)
    for model in (LogisticRegression(), search):
        known = y >= 0
        with pytest.raises(ModelFileError, match="cannot be saved"):
            save(model.fit(X[known], y[known]), path)


def test_a_cache_of_a_pipeline_is_refused(two_classes, tmp_path, path):
    """Its files are pickles."""
    model = Pipeline(
        [("scale", StandardScaler()), ("fit", LaplacianSVC(intrinsic_reg=0.01))]
    ).fit(*two_classes)
    save(model, path)
    cached = json.dumps(str(tmp_path))

    def change(schema):
        attributes(schema)["memory"].update(content=cached, __id__=-1)

    tamper(path, change)
    with pytest.raises(ModelFileError, match="folder of pickles"):
        load(path)
    with pytest.raises(ModelFileError, match=r"set_params\(memory=None\)"):
        save(model.set_params(memory=str(tmp_path)), path)


def test_keys_that_would_change_are_not_saved(two_classes, path):
    """A truth value would come back as True."""
    X, y = two_classes
    model = TransductiveSVC().fit(X, y)
    model.set_params(balance={False: 0.5, True: 0.5})
    with pytest.raises(ModelFileError, match=r"keys of type builtins\.bool"):
        save(model, path)
