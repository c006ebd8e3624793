"""Run the code cells of a notebook and store what they show, without Jupyter.

``python tools/notebook.py docs/tutorials/from_csv_to_model.ipynb`` executes the cells
in a temporary folder and writes their outputs back into the file, as Jupyter would:
what is printed, the last expression of a cell as text and HTML, and open figures. The
tests execute the notebook again and compare.
"""

import ast
import base64
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path


def execute(notebook):
    """Run all code cells in the current folder; the notebook with their outputs.

    Parameters
    ----------
    notebook : dict
        A notebook of format 4, which is not changed.

    Returns
    -------
    dict
    """
    names, cells, count = {"__name__": "__main__"}, [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            outputs = list(_run("".join(cell["source"]), names, count))
            cell = cell | {"execution_count": count, "outputs": outputs}
        cells.append(cell)
    return notebook | {"cells": cells}


def _run(source, names, count):
    """Outputs of one cell."""
    tree = ast.parse(source, f"cell {count}")
    is_shown = bool(tree.body) and isinstance(tree.body[-1], ast.Expr)
    is_shown &= not source.rstrip().endswith(";")
    last = ast.Expression(tree.body.pop().value) if is_shown else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), names)
        if last is not None:
            value = eval(compile(last, f"cell {count}", "eval"), names)
    if printed.getvalue():
        text = _lines(printed.getvalue())
        yield {"output_type": "stream", "name": "stdout", "text": text}
    yield from _figures()
    if value is not None:
        yield {
            "output_type": "execute_result",
            "execution_count": count,
            "metadata": {},
            "data": _show(value),
        }


def _figures():
    """Open figures as pictures, which are closed."""
    if "matplotlib.pyplot" not in sys.modules:
        return
    import matplotlib.pyplot as plt

    for number in plt.get_fignums():
        buffer, figure = io.BytesIO(), plt.figure(number)
        figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
        picture = base64.b64encode(buffer.getvalue()).decode()
        data = {"image/png": picture, "text/plain": ["<Figure>"]}
        yield {"output_type": "display_data", "metadata": {}, "data": data}
    plt.close("all")


def _show(value):
    """A value as text, and as HTML if it can."""
    data = {"text/plain": _lines(repr(value))}
    html = getattr(value, "_repr_html_", None)
    if html is not None:
        data = {"text/html": _lines(html())} | data
    return data


def _lines(text):
    return text.splitlines(keepends=True)


def main(path):
    """Execute a notebook and write it back."""
    path = Path(path).resolve()
    os.environ.setdefault("MPLBACKEND", "agg")
    notebook = json.loads(path.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        done = execute(notebook)
    text = json.dumps(done, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
