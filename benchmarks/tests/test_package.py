import ast
from importlib import resources
from pathlib import Path

import widemargin_bench

# modules of widemargin that its documentation lists
PUBLIC = {"widemargin"} | {
    f"widemargin.{name}"
    for name in ("datasets", "graphs", "kernels", "labels", "parameters")
}
# they run algorithms of the papers that no estimator offers, or vary constants; `cli`
# and `demo` are further commands, and `runner` starts processes
WITH_INTERNALS = {
    "cli",
    "clustering",
    "demo",
    "evidence",
    "independent_flips",
    "independent_flips_loops",
    "laplacian_training",
    "published_newton",
    "runner",
    "tri_class_fits",
}


def test_internals_of_the_library_are_used_in_few_modules():
    """The library may be rebuilt; what follows it should be easy to find."""
    root = Path(widemargin_bench.__file__).parent
    found = {p.stem for p in root.rglob("*.py") if imported(p) - PUBLIC}
    assert found == WITH_INTERNALS


def imported(path):
    """Modules of widemargin that a module imports."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    names = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name for name in names if name and name.split(".")[0] == "widemargin"}


def test_data_files_are_part_of_the_package():
    files = resources.files("widemargin_bench")
    assert (files / "report.css").is_file()
    assert (files / "published" / "umc-table1.csv").is_file()


def test_public_names_resolve():
    for name in widemargin_bench.__all__:
        assert getattr(widemargin_bench, name).__name__ == name
        assert name in dir(widemargin_bench)
