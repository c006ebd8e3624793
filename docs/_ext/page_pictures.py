"""Pictures that the code of a page draws: run at build time, so that they are true."""

import contextlib
import io
import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


class Picture(SphinxDirective):
    """The current figure after all Python blocks above; the argument describes it."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        import matplotlib.pyplot as plt

        page = Path(self.env.doc2path(self.env.docname))
        above = "".join(page.read_text("utf-8").splitlines(True)[: self.lineno])
        plt.close("all")
        self._run_new(_BLOCK.findall(above))
        name = f"{page.stem}-{self.lineno}.png"
        folder = Path(self.env.app.outdir) / "_images"
        folder.mkdir(parents=True, exist_ok=True)
        figure = plt.gcf()
        figure.savefig(folder / name, dpi=150)
        width = round(96 * figure.get_figwidth())
        plt.close("all")
        alt = escape(self.arguments[0])
        up = "../" * self.env.docname.count("/")
        text = f'<p><img src="{up}_images/{name}" alt="{alt}" width="{width}"></p>'
        return [nodes.raw("", text, format="html")]

    def _run_new(self, blocks):
        """Run the blocks that no picture of this page has run yet."""
        memory = self.env.temp_data.setdefault("pictures", {"done": 0, "names": {}})
        with contextlib.redirect_stdout(io.StringIO()):
            exec("\n".join(blocks[memory["done"] :]), memory["names"])
        memory["done"] = len(blocks)


def setup(app):
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
