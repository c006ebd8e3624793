"""Whatever a table holds, it becomes finite features or one sentence."""

import csv
import io

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from widemargin.cli.main import main
from widemargin.estimators.table_encoder import TableEncoder
from widemargin.tables.errors import TableError
from widemargin.tables.files import read_table

NAMES = st.one_of(
    st.sampled_from(["größe", "a b", 'x"y', "a,b", "id", "", " c ", "[bold]", "名前"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6),
)
CELLS = st.one_of(
    st.sampled_from(["", "NA", "1,234", "True", "false", "2024-01-05", "?", "inf"]),
    st.floats(allow_nan=False, width=32).map(str),
    st.integers(-5, 5).map(str),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=5),
)
COLUMNS = st.one_of(
    st.lists(CELLS, min_size=24, max_size=24),
    CELLS.map(lambda cell: [cell] * 24),  # constant, perhaps empty
    st.sampled_from([[f"{i}" for i in range(24)], [f"user {i}" for i in range(24)]]),
    st.lists(st.floats(-1e6, 1e6).map(str), min_size=24, max_size=24),
    st.lists(st.sampled_from(["red", "blue", ""]), min_size=24, max_size=24),
)
TABLES = st.tuples(
    st.lists(st.tuples(NAMES, COLUMNS), min_size=1, max_size=4), st.integers(1, 24)
)
odd = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def write(path, table):
    columns, n_rows = table
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([name for name, _ in columns])
    writer.writerows(zip(*(cells[:n_rows] for _, cells in columns), strict=True))
    path.write_text(buffer.getvalue(), encoding="utf-8")


@odd
@given(table=TABLES)
def test_features_are_finite_or_the_table_is_refused(table, tmp_path):
    path = tmp_path / "table.csv"
    write(path, table)
    try:
        frame = read_table(path)
        encoder = TableEncoder().fit(frame)
    except TableError:
        return
    features = encoder.transform(frame)
    assert features.shape == (len(frame), len(encoder.get_feature_names_out()))
    assert np.isfinite(features.data if sparse.issparse(features) else features).all()


@settings(odd, max_examples=12)
@given(table=TABLES)
def test_the_command_line_fits_it_or_says_why_not(table, tmp_path):
    columns, n_rows = table
    labels = ["u", "v", "", "u", "v", ""] * 4
    write(tmp_path / "table.csv", ([*columns, ("target", labels)], n_rows))
    words = ["fit", str(tmp_path / "table.csv"), "--target", "target", "--force"]
    out, found = str(tmp_path / "m.wm"), str(tmp_path / "p.csv")
    words += ["--out", out, "--predictions", found, "--method", "svm", "--folds", "0"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code in (0, 2), result.output
    if result.exit_code:
        assert result.stderr.startswith("Error: ")
        assert "Traceback" not in result.stderr
    else:
        again = CliRunner().invoke(main, ["predict", out, words[1]])
        assert again.exit_code == 0, again.output


@pytest.mark.parametrize(
    ("text", "method"),
    [("a,y\n1,u\n", "auto"), ("a,y\n1,u\n2,v\n", "laplacian")],
)
def test_one_row_or_two(tmp_path, text, method):
    path = tmp_path / "table.csv"
    path.write_text(text)
    words = ["fit", str(path), "--target", "y", "--method", method]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert "Column 'y' h" in result.stderr
