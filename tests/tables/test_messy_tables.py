"""Tables as people have them: every column is accounted for, and a model is fitted."""

import numpy as np
import pandas as pd
import pytest
from messy_tables import CLASS, TABLES
from sklearn.feature_extraction.text import TfidfVectorizer

from widemargin import FewLabelClassifier
from widemargin.tables.files import read_table


def labels(n_labeled=20):
    y = CLASS.copy()
    y[n_labeled:] = -1
    return y


def read(messy, path):
    frame = pd.DataFrame(messy.columns)
    frame.to_csv(path, sep=messy.separator, index=False)
    return read_table(path, separator=messy.separator, **messy.options)


@pytest.mark.parametrize("name", TABLES)
def test_every_column_is_accounted_for_and_a_model_is_fitted(name, tmp_path):
    messy = TABLES[name]
    frame = read(messy, tmp_path / "table.csv")
    model = FewLabelClassifier(random_state=0).fit(frame.assign(_="text"), labels())
    used = model.encoder_.frame().set_index("column")["used as"].to_dict()
    assert used == messy.kinds | {"_": "left out"}
    assert np.isfinite(model.predict_proba(frame.assign(_=""))).all()
    assert model.score(frame.assign(_=""), CLASS) > 0.8  # each table shows the class


def test_text_is_as_good_as_by_hand(tmp_path):
    """Within a point of TF-IDF and the same classifier."""
    frame = read(TABLES["reviews"], tmp_path / "table.csv")
    unlabeled = labels() < 0
    model = FewLabelClassifier(random_state=0).fit(frame, labels())
    X = TfidfVectorizer().fit_transform(frame["review"])
    by_hand = FewLabelClassifier(random_state=0).fit(X, labels())
    ours = model.score(frame[unlabeled], CLASS[unlabeled])
    assert ours >= by_hand.score(X[unlabeled], CLASS[unlabeled]) - 0.01
