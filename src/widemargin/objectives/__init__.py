"""The papers' functions: value, gradient and what else a solver may ask."""
