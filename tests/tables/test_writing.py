import io

import pandas as pd
import pytest

from widemargin.tables.errors import TableError
from widemargin.tables.writing import check_writable, table_bytes

FRAME = pd.DataFrame({"row": [1, 2], "label": ["a,b", 'say "c"']})


def test_text():
    assert table_bytes(FRAME) == b'row,label\n1,"a,b"\n2,"say ""c"""\n'
    assert table_bytes(FRAME, ".TSV").splitlines()[1] == b"1\ta,b"


def test_parquet():
    pytest.importorskip("pyarrow")
    read = pd.read_parquet(io.BytesIO(table_bytes(FRAME, ".parquet")))
    assert read["label"].tolist() == FRAME["label"].tolist()


@pytest.mark.parametrize("path", ["table", "table.npz", "table.doc"])
def test_other_endings_are_refused(path):
    with pytest.raises(TableError, match="change its name"):
        check_writable(path)
