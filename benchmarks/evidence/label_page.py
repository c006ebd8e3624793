"""Error after labels that `widemargin label` proposes, and the error that it shows.

    WIDEMARGIN_DATA=... python benchmarks/evidence/label_page.py [--draws 10]
        [--labels 50] [SET ...]

A program in place of a person opens the page's HTTP interface, labels each proposed row
with its true class, and reads predictions and shown error; another labels as many
random rows. Prints the mean true errors in percent, the difference with its standard
error, the mean of the shown error, and the share of draws in which it differs from the
true one by at most two of its standard errors.
"""

import argparse
import io
import json
import tempfile
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd

from widemargin.studio.run import open_page
from widemargin.studio.sources import from_arrays
from widemargin_bench.evidence import LABELLED_SETS, load_rows


class Person:
    """Knows all classes, and the addresses of the page."""

    def __init__(self, server, y):
        self.session, self.y, self.n = server.session, y, 0
        self.base = f"http://127.0.0.1:{server.port}"
        self.headers = {"Origin": self.base, "Content-Type": "application/json"}
        token = server.url.partition("token=")[2]
        answer = self.ask("/api/login", {"token": token})
        self.headers["Cookie"] = answer.headers["set-cookie"].partition(";")[0]

    def ask(self, path, body=None):
        """The answer to a request."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, self.headers)
        return urllib.request.urlopen(request)

    def label(self, row, why):
        """Give a row its class."""
        self.n += 1
        fact = {"kind": "label", "batch": str(self.n), "who": "person", "why": why}
        self.ask("/api/act", {**fact, "rows": [row], "label": str(self.y[row])})

    def label_proposals(self, n_labels):
        """Label what the page proposes."""
        for _ in range(n_labels):
            wish = {"window": "w", "who": "person", "settled": True}
            found = json.load(self.ask("/api/next", wish))
            self.label(found["card"]["row"], found["why"])

    def label_random_rows(self, n_labels, rng):
        """Label rows that are drawn at random."""
        for row in rng.permutation(len(self.y))[:n_labels].tolist():
            self.label(row, "random")

    def true_error(self):
        """Share of wrong predictions of unlabeled rows."""
        self.session.settle()
        table = pd.read_csv(io.BytesIO(self.ask("/api/export/table").read()))
        inferred = (table["source"] == "inferred").to_numpy()
        wrong = table["prediction"].astype(str).to_numpy() != self.y.astype(str)
        return wrong[inferred].mean()


def measure(X, y, n_labels, seed):
    """True error of proposals and of random rows; shown error and standard error."""
    errors = []
    for is_random in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "labels.sqlite"
            server = open_page(from_arrays(X), store, port=0, arranges=False)
            person = Person(server, y)
            if is_random:
                person.label_random_rows(n_labels, np.random.default_rng(seed))
            else:
                person.label_proposals(n_labels)
            errors.append(person.true_error())
            if not is_random:
                shown = server.session.describe_model()
            server.stop()
    return *errors, shown["error"], shown["error_std"]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sets", nargs="*", default=LABELLED_SETS)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--labels", type=int, default=50)
    options = parser.parse_args()
    print(f"{'set':8}  proposed  random  saved         shown  covered")
    covered = []
    for name in options.sets:
        found = []
        for seed in range(options.draws):
            n_rows = 5000 if name == "mnist" else 3000
            X, y = load_rows(name, np.random.default_rng(seed), n_rows)
            found.append(measure(X, y, options.labels, seed))
        proposed, drawn, shown, std = 100 * np.transpose(found)
        saved = drawn - proposed
        is_covered = np.abs(shown - proposed) <= 2 * std
        covered += is_covered.tolist()
        spread = saved.std(ddof=1) / np.sqrt(len(saved)) if len(saved) > 1 else np.nan
        print(
            f"{name:8}  {proposed.mean():8.1f}  {drawn.mean():6.1f}  "
            f"{saved.mean():+.1f} +- {spread:.1f}  {shown.mean():6.1f}  "
            f"{is_covered.sum()} of {len(is_covered)}",
            flush=True,
        )
    print(f"covered by two standard errors: {100 * np.mean(covered):.0f} %")


if __name__ == "__main__":
    main()
