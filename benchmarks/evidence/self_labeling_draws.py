"""`SelfLabelingGPC` and the paper's Gaussian processes, on more draws than its table.

    WIDEMARGIN_DATA=... python benchmarks/evidence/self_labeling_draws.py [--out FILE]

Four sets of self-labeling-table2, on which one of the paper's models is near the
default or better, with its methods and protocol. The first ten draws are those of that
table. Prints the difference of the default from each of the paper's models in points,
with its standard error: over the draws of the table, over the other ones, and over all.
--out stores the errors, which the guide is compared with.
"""

import argparse
import json
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np

from widemargin_bench import find_benchmark, run_benchmark

SETS = ("Thyroid", "Splice", "Ringnorm", "Pima")
OURS, MODELS = "GPC", ("SSuGPR", "SSuGPS")
N_TABLE = 10  # draws of the paper's table


def measure(n_draws):
    """Errors in percent by set and method, a list with one for each draw."""
    benchmark = find_benchmark("self-labeling-table2").part(rows=SETS, runs=n_draws)
    methods = tuple(m for m in benchmark.methods if m.name in (OURS, *MODELS))
    benchmark = replace(benchmark, methods=methods)
    with tempfile.TemporaryDirectory() as folder:
        records = run_benchmark(benchmark, folder).read()
    errors = defaultdict(lambda: defaultdict(list))
    cells = [record for record in records if record["kind"] == "cell"]
    for cell in sorted(cells, key=lambda cell: cell["run"]):
        errors[cell["row"]][cell["method"]].append(cell["metrics"]["error"])
    return {name: dict(errors[name]) for name in SETS}


def difference(errors, model, draws=slice(None)):
    """Mean difference of the default from a model of the paper, and standard error."""
    gaps = np.subtract(errors[OURS], errors[model])[draws]
    return gaps.mean(), gaps.std(ddof=1) / np.sqrt(len(gaps))


def main():
    """Print and store the errors."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    errors = measure(options.draws)
    parts = slice(N_TABLE), slice(N_TABLE, None), slice(None)
    for name, of_set in errors.items():
        for model in MODELS:
            found = [difference(of_set, model, draws) for draws in parts]
            shown = "  ".join(f"{gap:+.2f} ({error:.2f})" for gap, error in found)
            print(f"{name:10} {OURS} - {model}  {shown}", flush=True)
    if options.out:
        lines = json.dumps({"draws": options.draws, "errors": errors})
        options.out.write_text(lines.replace('], "', '],\n "') + "\n")


if __name__ == "__main__":
    main()
