"""All benchmarks by name, the figures that the papers print, and sources of data.

Printed figures are CSV tables in `published`, one file per benchmark and one line per
figure: ``row, method, metric, value, sd``. Rows and methods have the names of the
benchmark's; methods that the benchmark does not run are figures of others that the
paper compares with.
"""

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module, resources

_MODULES = (  # of `tables`, in the order of the report
    "defaults",
    "few_labels",
    "laplacian",
    "label_search",
    "self_labeling",
    "tri_class",
    "clustering",
)
SOURCES = {
    "coil20": "COIL-20, Columbia University: images reduced to 32 x 32 pixels",
    "coil20_400": "COIL-20, Columbia University: images reduced to 20 x 20 pixels",
    "facemit": "CBCL Face Database 1, MIT",
    "g50c": "Chapelle and Zien, Semi-supervised classification by low density "
    "separation",
    "ionosphere": "UCI ionosphere; OpenML 59",
    "iris": "UCI iris; OpenML 61",
    "letter": "UCI letter recognition; OpenML 6",
    "mnist": "MNIST, LeCun, Cortes and Burges; OpenML 554",
    "pcmac": "Chapelle and Zien, set text1: two groups of 20 newsgroups as TF-IDF",
    "pima": "UCI Pima Indians diabetes; OpenML 37",
    "ringnorm": "Delve, standardized as in the IDA repository; OpenML 1496 is not",
    "splice": "UCI splice junctions, coded 1 to 4 as in LIBSVM; OpenML 46 has letters",
    "thyroid": "UCI thyroid disease, file new-thyroid",
    "usps": "USPS, zip.train and zip.test of The Elements of Statistical Learning; "
    "OpenML 41082",
    "uspst": "Chapelle and Zien: the test part of USPS, rounded",
    "waveform": "UCI waveform, version 1 (21 features)",
}


@lru_cache
def _catalog():
    """All benchmarks by name."""
    found = {}
    for module in _MODULES:
        for benchmark in import_module(f"widemargin_bench.tables.{module}").BENCHMARKS:
            if benchmark.name in found:
                raise ValueError(f"Two benchmarks are named {benchmark.name!r}.")
            found[benchmark.name] = benchmark
    return found


def list_names():
    """Names of all benchmarks.

    Examples
    --------
    >>> from widemargin_bench import list_names
    >>> "umc-table1" in list_names()
    True
    """
    return list(_catalog())


def find_benchmark(name):
    """The benchmark of that name.

    Raises
    ------
    ValueError
        If there is none.

    Examples
    --------
    >>> from widemargin_bench import find_benchmark
    >>> find_benchmark("umc-table1").paper.name
    'Pahikkala et al. 2014'
    """
    if name not in _catalog():
        raise ValueError(
            f"There is no benchmark {name!r}; choose one of {', '.join(_catalog())}."
        )
    return _catalog()[name]


@dataclass(frozen=True)
class Figure:
    """A printed value, and its standard deviation over runs if there is one."""

    value: float
    sd: float | None = None


def read_published(name):
    """Figures of a benchmark by (row, method, metric); empty if it has none."""
    path = resources.files("widemargin_bench") / "published" / f"{name}.csv"
    if not path.is_file():
        return {}
    figures = {}
    for line in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
        key = line["row"], line["method"], line["metric"]
        if key in figures:
            raise ValueError(f"{name}.csv has {key} twice.")
        sd = float(line["sd"]) if line["sd"] else None
        figures[key] = Figure(float(line["value"]), sd)
    return figures


def explain_missing(names):
    """Sentences that say what is missing and where it comes from."""
    lines = [
        f"Not here: {', '.join(names)}. Set the environment variable WIDEMARGIN_DATA "
        "to a folder with one archive <name>.npz each (y and X; see load_set). "
        "They come from:",
        *(f"  {name}: {SOURCES.get(name, 'unknown')}" for name in names),
    ]
    return "\n".join(lines)
