"""What is raised for a model file that is damaged, foreign or not to be trusted."""


class ModelFileError(ValueError):
    """A model cannot be saved, or a file is not one that may be loaded.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import widemargin
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.wm"
    ...     _ = path.write_text("not a model")
    ...     try:
    ...         widemargin.load(path)
    ...     except widemargin.ModelFileError as error:
    ...         print("refused:", "not a model file" in str(error))
    refused: True
    """
