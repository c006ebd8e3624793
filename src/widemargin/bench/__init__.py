"""The papers' tables and what one would use instead, side by side."""

from widemargin.bench.benchmark import (
    Advice,
    Benchmark,
    Claim,
    Method,
    Metric,
    Paper,
    Quick,
    Row,
)
from widemargin.bench.catalog import find_benchmark, list_names
from widemargin.bench.runner import run_benchmark

__all__ = [
    "Advice",
    "Benchmark",
    "Claim",
    "Method",
    "Metric",
    "Paper",
    "Quick",
    "Row",
    "find_benchmark",
    "list_names",
    "run_benchmark",
]
