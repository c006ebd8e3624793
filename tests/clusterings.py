"""What the tests of max-margin clustering share."""

SEARCHES = ["auto", "tabu", "evolution", "shaking", "steepest", "stochastic"]
FIXED = {"gamma": 0.3, "ambient_reg": 1e-3, "laplacian_power": 1}  # nothing to choose
