"""What FewLabelClassifier and a tuned SVC find of a rare class with ten labels.

    python benchmarks/evidence/rare_class.py [--runs 40]

The set "rare class" of the benchmark `few-labels-elsewhere`, in which 15 % of the rows
are of the second class. Prints means over the draws by the number of labels of this
class: error, balanced accuracy (mean recall of the two classes) and the share of rows
that are predicted to be of it, all in percent.
"""

import argparse
from collections import defaultdict

import numpy as np
from sklearn.metrics import balanced_accuracy_score

from widemargin import FewLabelClassifier
from widemargin_bench.methods import make_tuned_svc
from widemargin_bench.tables.few_labels import clean, make_rows


def judge(truth, predicted):
    """Error, balanced accuracy and share of the second class, in percent."""
    balanced = balanced_accuracy_score(truth, predicted)
    return 100.0 * np.array([(truth != predicted).mean(), balanced, predicted.mean()])


def compare(draw):
    """The figures of FewLabelClassifier, and those of the tuned SVC."""
    X, given = draw.labeled_part
    own = FewLabelClassifier(random_state=draw.seed).fit(draw.X, draw.y_partial)
    svc, hidden = make_tuned_svc(draw).fit(X, given), ~draw.labeled
    truth = draw.y[hidden]
    return [judge(truth, model.predict(draw.X)[hidden]) for model in (own, svc)]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=40)
    (row, *_), found = make_rows(["rare class"], is_mixed=False), defaultdict(list)
    for run in range(parser.parse_args().runs):
        draw = clean(row.options, run)
        figures = compare(draw)
        found[int(draw.y[draw.labeled].sum())].append(figures)
        found["all"].append(figures)
    print("rare labels  draws  FewLabelClassifier   SVC, tuned")
    for group in sorted(found, key=str):
        own, svc = np.mean(found[group], axis=0)
        figures = " ".join(f"{value:6.1f}" for value in (*own, *svc))
        print(f"{group!s:>11}  {len(found[group]):>5}  {figures}")


if __name__ == "__main__":
    main()
