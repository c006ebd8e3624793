import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def one_thread():
    """Small matrices gain nothing from threads, and lose much on a busy machine."""
    with threadpool_limits(1, user_api="blas"):
        yield
