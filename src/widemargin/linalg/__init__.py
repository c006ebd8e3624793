"""The lowest layer: linear algebra and compiled loops, on plain arrays."""
