"""Inputs that can be labeled, but are no tables."""

import os
from pathlib import Path

from widemargin.tables.errors import TableError
from widemargin.tables.files import is_table_name

_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
_TEXTS = (".txt", ".text")
_PIXELS = (
    "widemargin.load(MODEL).predict(pixels); the page 'Label rows in the browser' of "
    "the documentation shows how to compute the pixels"
)


def refuse_images_and_texts(path, command, file_format=None):
    """Raise `TableError` for images and files of texts; it names the way out."""
    what = None if file_format else _describe(path)
    if what is None:
        return
    if command == "fit":
        advice = (
            f"Use widemargin label {path}, where you can also fit a model, or save the "
            "features as a table."
        )
    elif what == "a text file":
        advice = (
            "Save the texts as a CSV file with one column and a header, or use Python: "
            "widemargin.load(MODEL).predict(texts)."
        )
    else:
        advice = f"A model of images is used in Python: {_PIXELS}."
    raise TableError(f"{path} is {what}, but {command} needs a table. {advice}")


def _describe(path):
    """What an input is; None for a table, or a folder that may hold some."""
    ending = Path(path).suffix.lower()
    if not Path(path).is_dir():
        if ending in _IMAGES:
            return "an image"
        is_text = ending in _TEXTS and not is_table_name(path)
        return "a text file" if is_text and Path(path).is_file() else None
    endings = {
        Path(name).suffix.lower() for _, _, names in os.walk(path) for name in names
    }
    if ".parquet" in endings or not endings & set(_IMAGES):
        return None
    return "a folder of images"
