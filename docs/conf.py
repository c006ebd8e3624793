"""How Sphinx builds the documentation; `make docs` calls it."""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_ext"))

from widemargin import __version__  # noqa: E402

project = "widemargin"
author = copyright = "The widemargin developers"
version = release = __version__

autodoc_typehints = "none"  # docstrings name the types
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "bench_report",
    "mathml",
    "notebooks",
    "page_pictures",
    "thumbnails",
]

exclude_patterns = ["_build", "auto_examples/*.ipynb"]
templates_path = ["_templates"]
default_role = "py:obj"  # `fit` in a docstring is a link where it can be one
add_module_names = False
toc_object_entries_show_parents = "hide"

# Markdown
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"

# Docstrings
autosummary_generate = True
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the pages of classes list them, see _templates

# The gallery
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "backreferences_dir": "api/generated/gallery",
    "doc_module": ("widemargin",),
    "image_srcset": ["2x"],
    "thumbnail_size": (640, 480),
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
}

# The pages
html_theme = "pydata_sphinx_theme"
html_title = "widemargin"
html_static_path = ["_static"]
html_css_files = ["widemargin.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
_ALONE = (
    "index choosing quick_start from_scikit_learn papers every_table benchmark_report "
    "development"
)
html_sidebars = {
    page: [] for page in [*_ALONE.split(), "notation", "references", "upgrading"]
}
html_theme_options = {
    "logo": {"text": "widemargin"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
}
