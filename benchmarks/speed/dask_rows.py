"""Rows that do not fit into memory: anchors on one machine, and with Dask.

    WIDEMARGIN_DATA=... python benchmarks/speed/dask_rows.py [--draws N] [--record]
    [PARTS]

Defaults and one thread per process; CPU seconds unless said, and the largest memory of
a process in GiB. With --record accuracies are stored in benchmarks/speed/results.jsonl,
which pages quote.

mnist    60,000 rows of MNIST, 50 principal components, in blocks: FewLabelClassifier
         with 100 labels, or as --labels says
blocks   a folder of Parquet files with --rows rows of `make_sheets`, 100 labels: fit
         and predict on one machine, a block at a time
memory   the same model on the first million of these rows in memory
dask     the folder with a LocalCluster of two workers of 2 GiB each
killed   the same, and one of the workers is killed during the fit
command  `widemargin fit` and `widemargin predict` on a folder of a million rows
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from widemargin import FewLabelClassifier
from widemargin.blocks import ArrayBlocks, ParquetBlocks
from widemargin.datasets import hide_labels, make_sheets
from widemargin_bench.measured import peak_memory, record
from widemargin_bench.stored_sets import load_components

FILE_ROWS = 100_000
N_LABELS = 100
IN_MEMORY = 1_000_000


def make_folder(folder, n_rows):
    """Write sheets as Parquet files, with the true classes in a column beside."""
    folder.mkdir(parents=True, exist_ok=True)
    X, y, sheets = make_sheets(n_rows, return_sheets=True, random_state=0)
    # All labels are among the rows that are also fitted in memory.
    first = slice(0, min(n_rows, IN_MEMORY))
    known = np.flatnonzero(hide_labels(sheets[first], N_LABELS, rng=0) >= 0)
    partial = np.full(n_rows, -1)
    partial[known] = y[known]
    for start in range(0, n_rows, FILE_ROWS):
        rows = slice(start, start + FILE_ROWS)
        frame = pd.DataFrame(X[rows], columns=[f"x{i}" for i in range(X.shape[1])])
        frame["y"], frame["truth"] = partial[rows], y[rows]
        frame.to_parquet(folder / f"part-{start // FILE_ROWS:04}.parquet", index=False)


def folder_of(options):
    """The folder of Parquet files, written by a process of its own if missing."""
    folder = Path(options.folder) / f"sheets-{options.rows}"
    if not (folder / "done").exists():
        command = [sys.executable, __file__, "--make", str(options.rows)]
        subprocess.run([*command, "--folder", str(options.folder)], check=True)
        (folder / "done").touch()
    return folder


def features(n=50):
    return [f"x{i}" for i in range(n)]


def report(name, seconds, accuracy, memory, extra=""):
    keep(name, accuracy=float(accuracy), memory=float(memory))
    print(
        f"{name}: {seconds}, {memory:.2f} GiB, accuracy {accuracy:.5f}{extra}",
        flush=True,
    )


def keep(key, **figures):
    """Store figures if the user asked for it."""
    if "--record" in sys.argv:
        record("blocks", key, **figures)


def mnist(options):
    """Draws of labels of MNIST."""
    X, y, X_new, y_new = load_components()
    for n_labels in options.labels:
        found, new, seconds = [], [], []
        for draw in range(options.draws):
            partial = hide_labels(y, n_labels, rng=draw)
            start = time.process_time()
            blocks = ArrayBlocks(X, partial, block_rows=10_000)
            model = FewLabelClassifier(random_state=0).fit(blocks)
            seconds.append(time.process_time() - start)
            found.append((model.predict(X) == y)[partial < 0].mean())
            new.append((model.predict(X_new) == y_new).mean())
        print(
            f"mnist, {n_labels} labels: fit {np.mean(seconds):.1f} s, accuracy "
            f"{np.mean(found):.4f} (least {np.min(found):.4f}), new rows "
            f"{np.mean(new):.4f}",
            flush=True,
        )
        keep(
            f"mnist, {n_labels} labels", draws=len(found),
            seconds=float(np.mean(seconds)), accuracy=float(np.mean(found)),
            new=float(np.mean(new)), least=float(np.min(found)),
            most=float(np.max(found)),
        )  # fmt: skip


def blocks(options):
    """One machine, a block at a time."""
    source = ParquetBlocks(folder_of(options), target="y", columns=features())
    start = time.process_time()
    model = FewLabelClassifier(random_state=0, verbose=True).fit(source)
    fit, start = time.process_time() - start, time.process_time()
    truth = ParquetBlocks(source.path, target="truth", columns=features())
    right = sum((model.predict(block.X) == block.y).sum() for block in truth)
    seconds = f"fit {fit:.1f} s, predict {time.process_time() - start:.1f} s"
    name = f"blocks, {len(source):,} rows"
    report(name, seconds, right / len(source), peak_memory())


def memory(options):
    """The first million rows in memory."""
    files = sorted(folder_of(options).glob("*.parquet"))[: IN_MEMORY // FILE_ROWS]
    frame = pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)
    X = frame[features()].to_numpy(np.float32)
    start = time.process_time()
    model = FewLabelClassifier(random_state=0).fit(X, frame["y"].to_numpy())
    seconds = f"fit {time.process_time() - start:.1f} s"
    accuracy = (model.transduction_ == frame["truth"]).mean()
    report(f"in memory, {len(X):,} rows", seconds, accuracy, peak_memory())


def on_cluster(options, *, kill=False):
    """Two workers of 2 GiB each; one may be killed during the fit."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    from widemargin.dask import DaskFewLabelClassifier

    cluster_options = {"threads_per_worker": 1, "memory_limit": "2GiB"}
    with (
        LocalCluster(n_workers=2, dashboard_address=None, **cluster_options) as cluster,
        Client(cluster) as client,
    ):
        frame = dd.read_parquet(folder_of(options))
        X, y = frame[features()], frame["y"]
        before = list(client.run(os.getpid).values())
        if kill:
            threading.Timer(
                options.kill_after, os.kill, (before[0], signal.SIGKILL)
            ).start()
        start = time.perf_counter()
        model = DaskFewLabelClassifier(random_state=0, verbose=True).fit(X, y)
        fit, start = time.perf_counter() - start, time.perf_counter()
        after = list(client.run(os.getpid).values())
        predicted = model.predict(X).compute()  # all of them, to count mistakes
        predict = time.perf_counter() - start
        peaks = client.run(peak_memory).values()
    name = "dask, one worker killed" if kill else "dask"
    seconds = f"fit {fit:.0f} s, predict {predict:.0f} s (wall)"
    workers = ", ".join(f"{peak:.2f}" for peak in peaks)
    extra = f"; workers {workers} GiB, {len(set(after) - set(before))} restarted"
    accuracy = (predicted == read_truth(folder_of(options))).mean()
    report(f"{name}, {options.rows:,} rows", seconds, accuracy, peak_memory(), extra)


def read_truth(folder):
    """The true classes of all rows."""
    files = sorted(folder.glob("*.parquet"))
    parts = [pd.read_parquet(file, columns=["truth"])["truth"] for file in files]
    return np.concatenate(parts)


def killed(options):
    """One worker is killed during the fit."""
    on_cluster(options, kill=True)


def command(options):
    """The command line on a folder of a million rows."""
    options.rows = IN_MEMORY
    folder = folder_of(options)
    with tempfile.TemporaryDirectory() as place:
        model, out = f"{place}/model.wm", f"{place}/predictions.parquet"
        tool = [sys.executable, "-m", "widemargin"]
        fit = [*tool, "fit", str(folder), "--target", "y", "--drop", "truth"]
        runs = {
            "fit": [*fit, "--out", model, "--predictions", out, "--verbose"],
            "predict": [*tool, "predict", model, str(folder), "--out", out, "--force"],
        }
        for name, run in runs.items():
            start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run(run, check=True)
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            found = pd.read_parquet(out, columns=["label", "truth"])
            accuracy = (found["label"].astype(int) == found["truth"]).mean()
            peak = used.ru_maxrss / 2**20
            report(
                f"widemargin {name}", f"{used.ru_utime - start:.1f} s", accuracy, peak
            )


PARTS = {
    "mnist": mnist,
    "blocks": blocks,
    "memory": memory,
    "dask": on_cluster,
    "killed": killed,
    "command": command,
}


def main():
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--labels", type=int, nargs="+", default=[100])
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--kill-after", type=float, default=20.0, help="seconds")
    parser.add_argument("--make", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    if options.make:
        make_folder(Path(options.folder) / f"sheets-{options.make}", options.make)
        return
    with threadpool_limits(1):
        for name, part in PARTS.items():
            if name in (options.parts or PARTS):
                if name == "mnist" and not os.environ.get("WIDEMARGIN_DATA"):
                    print(f"{name} is left out: set WIDEMARGIN_DATA.")
                else:
                    part(options)


if __name__ == "__main__":
    main()
