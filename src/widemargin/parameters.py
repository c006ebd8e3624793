"""Values that parameters of estimators can have, in one place to import from.

Each has a page in the API reference; strings such as ``search="tabu"`` are shorthand
for the value with its defaults.
"""

from widemargin.estimators._candidates import Budget
from widemargin.graphs import KnnGraph, TransformerGraph
from widemargin.kernels import (
    ArdRbf,
    Cosine,
    Laplacian,
    Linear,
    Nystrom,
    Polynomial,
    Precomputed,
    Rbf,
)
from widemargin.labelling import (
    Evolution,
    Shaking,
    Starts,
    Steepest,
    Stochastic,
    Tabu,
)
from widemargin.objectives.class_sizes import Balance
from widemargin.solvers.cccp import Relaxed
from widemargin.solvers.evidence import (
    LabelEvidence,
    LeaveOneOutDensity,
    MarginalLikelihood,
)
from widemargin.solvers.hinge import ProximalNewton, Smo
from widemargin.solvers.informative_vectors import InformativeVectors
from widemargin.solvers.laplacian import Dual, Newton, Pcg
from widemargin.solvers.relabeling import InSample, LeaveOneOut
from widemargin.solvers.self_labeling import Annealing

__all__ = [
    "Annealing",
    "ArdRbf",
    "Balance",
    "Budget",
    "Cosine",
    "Dual",
    "Evolution",
    "InSample",
    "InformativeVectors",
    "KnnGraph",
    "LabelEvidence",
    "Laplacian",
    "LeaveOneOut",
    "LeaveOneOutDensity",
    "Linear",
    "MarginalLikelihood",
    "Newton",
    "Nystrom",
    "Pcg",
    "Polynomial",
    "Precomputed",
    "ProximalNewton",
    "Rbf",
    "Relaxed",
    "Shaking",
    "Smo",
    "Starts",
    "Steepest",
    "Stochastic",
    "Tabu",
    "TransformerGraph",
]
