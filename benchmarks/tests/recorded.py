"""Results that the repository keeps, for tests of what is said about them."""

from functools import cache
from pathlib import Path

from widemargin_bench.results import read_folder
from widemargin_bench.statements import Results

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"


@cache
def read_recorded():
    """All of them, read once for all tests."""
    return Results(read_folder(RESULTS)[0])
