"""Notebooks as pages: their cells and stored outputs, read as Markdown.

A notebook is stored with its outputs (`tools/notebook.py` runs it), so that building
the pages needs no Jupyter. The page also offers the file for download.
"""

import json
import shutil
from pathlib import Path

_DOWNLOAD = (
    '\n<p class="notebook-file"><a href="{name}" download>Download this page as a '
    "notebook</a></p>\n"
)


def to_markdown(text, name):
    """A notebook as the text of a Markdown page."""
    first, *cells = json.loads(text)["cells"]
    parts = ["".join(first["source"]), _DOWNLOAD.format(name=name)]
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts.append(f"```python\n{source.rstrip().removesuffix(';')}\n```")
            parts += [_show(output) for output in cell["outputs"]]
    return "\n\n".join(parts) + "\n"


def _show(output):
    """An output in the best form that it has."""
    if output["output_type"] == "stream":
        return _as_text(output["text"])
    data = output["data"]
    if "image/png" in data:
        picture = f"data:image/png;base64,{data['image/png'].strip()}"
        return _as_html(f'<img src="{picture}" alt="What the cell above draws">')
    if "text/html" in data:
        return _as_html("".join(data["text/html"]))
    return _as_text(data["text/plain"])


def _as_text(lines):
    return f"```{{code-block}} none\n:class: output\n{''.join(lines).rstrip()}\n```"


def _as_html(html):
    return f'````{{raw}} html\n<div class="output">\n{html}\n</div>\n````'


def read_notebook(app, name, source):
    """Turn the text of a notebook into Markdown before it is parsed."""
    path = Path(app.env.doc2path(name))
    if path.suffix == ".ipynb":
        source[0] = to_markdown(source[0], path.name)


def copy_notebooks(app, problem):
    """Put the files of notebooks beside their pages."""
    if problem is not None or app.builder.format != "html":
        return
    for name in app.env.found_docs:
        path = Path(app.env.doc2path(name))
        if path.suffix == ".ipynb":
            shutil.copy(path, Path(app.outdir) / Path(name).parent / path.name)


def setup(app):
    app.add_source_suffix(".ipynb", "markdown")
    app.connect("source-read", read_notebook)
    app.connect("build-finished", copy_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
