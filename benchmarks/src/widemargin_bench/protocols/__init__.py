"""How figures of single tables come about: sets, draws, grids, choices, baselines."""
