"""Artificial data, the published benchmarks, and hiding labels."""

from widemargin.datasets.benchmarks import list_benchmarks, load_benchmark
from widemargin.datasets.breiman import make_ringnorm, make_waveform
from widemargin.datasets.gaussians import (
    make_g50c,
    make_gaussian2c,
    make_gaussian4c,
    make_irrelevant_gaussians,
)
from widemargin.datasets.labels import hide_labels
from widemargin.datasets.shapes import make_clock, make_gp_toy, make_two_moons

__all__ = [
    "hide_labels",
    "list_benchmarks",
    "load_benchmark",
    "make_clock",
    "make_g50c",
    "make_gaussian2c",
    "make_gaussian4c",
    "make_gp_toy",
    "make_irrelevant_gaussians",
    "make_ringnorm",
    "make_two_moons",
    "make_waveform",
]
