"""Sources of randomness."""

from numbers import Integral

import numpy as np


def as_generator(random_state, name="random_state"):
    """Turn any accepted source of randomness into a `numpy.random.Generator`.

    None draws a fresh seed. A Generator is used as it is, so that repeated calls
    continue its stream; a RandomState is advanced to seed a new Generator. The message
    for anything else names the parameter.
    """
    if isinstance(random_state, np.random.RandomState):
        seed = random_state.randint(2**32, size=4, dtype=np.uint32)
        return np.random.default_rng(seed)
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if isinstance(random_state, Integral) and random_state >= 0:
        return np.random.default_rng(int(random_state))
    raise ValueError(
        f"{name} must be None, an integer >= 0, a numpy.random.Generator or a "
        f"numpy.random.RandomState, got {random_state!r}."
    )
