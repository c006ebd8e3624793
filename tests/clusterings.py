"""What the tests of max-margin clustering share."""

from widemargin.graphs import KnnGraph
from widemargin.kernels import Rbf

SEARCHES = ["auto", "tabu", "evolution", "shaking", "steepest", "stochastic"]
POWER_1 = KnnGraph(power=1)
FIXED = {"kernel": Rbf(0.3), "ambient_reg": 1e-3, "graph": POWER_1}  # nothing to choose
