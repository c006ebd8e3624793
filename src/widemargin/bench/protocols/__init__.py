"""How figures of single papers come about: draws, grids, choices, baselines."""
