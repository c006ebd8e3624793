"""The numbers behind a picture as a table."""


def make_frame(columns):
    """A pandas DataFrame of named columns.

    Raises
    ------
    ImportError
        If pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as problem:
        raise ImportError(
            "frame() needs pandas, which is not installed: pip install pandas."
        ) from problem
    return pd.DataFrame(columns)
