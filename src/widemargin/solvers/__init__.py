"""Pure functions from arrays to a `SolveResult`."""
