"""Formulas as MathML, which browsers draw without a script or the network."""

import re

from docutils.nodes import SkipNode
from latex2mathml.converter import convert


def add_inline(translator, node):
    translator.body.append(_as_mathml(node))
    raise SkipNode


def add_block(translator, node):
    formula = _as_mathml(node, display="block")
    translator.body.append(f'<div class="formula">{formula}</div>')
    raise SkipNode


def _as_mathml(node, **options):
    """The formula; names of parameters in it keep their underscore."""
    names = re.compile(r"\\text\{[^}]*\}")
    latex = names.sub(lambda text: text[0].replace(r"\_", "_"), node.astext())
    return convert(latex, **options)


def setup(app):
    app.add_html_math_renderer("mathml", (add_inline, None), (add_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
