"""TableEncoder and skrub's TableVectorizer on the messy tables of the tests.

    pip install skrub
    python benchmarks/evidence/table_encoders.py [--draws 10] [--out FILE.json]

Both encode the same data frames, read by ``pandas.read_csv`` in full; ten rows of each
class, drawn at random, are labeled. Prints the columns that each encoder uses and the
mean error of FewLabelClassifier on the unlabeled rows, in percent. What TableVectorizer
returns is imputed and standardized, as skrub's ``tabular_pipeline`` does before models
that are not trees. The last column is that of TableVectorizer on numbers and dates as
TableEncoder reads them, which shows how much of the difference comes from reading.
"""

import argparse
import io
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from widemargin import FewLabelClassifier, TableEncoder
from widemargin.tables.columns import Kind

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from messy_tables import CLASS, TABLES

N_LABELED = 10  # of each class


def read(messy):
    """The data frame that a user of pandas has."""
    text = pd.DataFrame(messy.columns).to_csv(sep=messy.separator, index=False)
    return pd.read_csv(io.StringIO(text), sep=messy.separator)


def encode_ours(frame, seed):
    """Features, and the columns that they are made of."""
    encoder = TableEncoder().fit(frame)
    return encoder.transform(frame), [feature.name for feature in encoder.features_]


def read_cells(frame):
    """The data frame with numbers and dates in place of texts that stand for them."""
    read = frame.copy()
    for column in TableEncoder().fit(frame).columns_:
        if column.kind is Kind.NUMBERS:
            read[column.name] = column.reading.numbers(frame[column.name])
        elif column.kind is Kind.DATES:
            read[column.name] = column.reading.dates(frame[column.name])
    return read


def encode_skrub(frame, seed):
    """The same by skrub, whose encoding of text is random."""
    from skrub import StringEncoder, TableVectorizer

    encoder = TableVectorizer(high_cardinality=StringEncoder(random_state=seed))
    pipe = make_pipeline(encoder, SimpleImputer(add_indicator=True), StandardScaler())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of dates whose format is a guess
        X = pipe.fit_transform(frame)
    used = pipe[0].input_to_outputs_
    return np.asarray(X), [name for name in frame if used.get(name)]


def error(X, seed):
    """Error on the unlabeled rows in percent."""
    rng, y = np.random.default_rng(seed), np.full(len(CLASS), -1)
    for code in (0, 1):
        y[rng.choice(np.flatnonzero(code == CLASS), N_LABELED, replace=False)] = code
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of features that hold nothing
        model = FewLabelClassifier(random_state=0).fit(X, y)
    return 100.0 * np.mean((model.transduction_ != CLASS)[y < 0])


def main():
    """Print the table, and write it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    try:
        import skrub
    except ImportError:
        print("Skipped: it needs skrub, which is not installed (pip install skrub).")
        return
    lines = []
    print(f"skrub {skrub.__version__}, {given.draws} draws")
    print(
        f"{'table':20}{'columns':>8}{'ours':>6}{'skrub':>6}{'ours %':>9}{'skrub %':>9}"
        f"{'read %':>9}"
    )
    for name, messy in TABLES.items():
        frame = read(messy)
        line = {"table": name, "columns": frame.shape[1]}
        ways = {
            "ours": (encode_ours, frame),
            "skrub": (encode_skrub, frame),
            "skrub_read": (encode_skrub, read_cells(frame)),
        }
        for who, (encode, cells) in ways.items():
            X, used = encode(cells, 0)
            line |= {f"{who}_used": used, f"{who}_features": X.shape[1]}
            seeds = range(given.draws)
            errors = [error(encode(cells, seed)[0], seed) for seed in seeds]
            line[f"{who}_error"] = round(float(np.mean(errors)), 2)
        lines.append(line)
        counts = len(line["ours_used"]), len(line["skrub_used"])
        print(
            f"{name:20}{frame.shape[1]:8}{counts[0]:6}{counts[1]:6}"
            f"{line['ours_error']:9.1f}{line['skrub_error']:9.1f}"
            f"{line['skrub_read_error']:9.1f}",
            flush=True,
        )
    means = [
        np.mean([line[f"{who}_error"] for line in lines])
        for who in ("ours", "skrub", "skrub_read")
    ]
    print(f"{'mean':40}{means[0]:9.1f}{means[1]:9.1f}{means[2]:9.1f}")
    if given.out:
        outcome = {"skrub": skrub.__version__, "draws": given.draws, "tables": lines}
        given.out.write_text(json.dumps(outcome, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
