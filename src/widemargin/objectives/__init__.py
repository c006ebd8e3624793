"""The papers' functions: value, gradient and what else a solver needs."""
