"""The site's settings for Sphinx. tools/site/build runs it on the pages that stage.py lays out."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE))

project = "weft"
author = "The weft authors"
project_copyright = "2026, the weft authors. Apache License 2.0"
release = re.search(r"project\(weft VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]

extensions = ["myst_parser", "sphinx.ext.autodoc", "mathml", "furo_debian"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
exclude_patterns = ["tree", "gallery"]
highlight_language = "text"
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
toc_object_entries = False

html_theme = "furo"
html_title = f"weft {release}"
html_static_path = [str(HERE / "static")]
html_css_files = ["weft.css"]
html_favicon = str(HERE / "static" / "weft.svg")
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
pygments_style = "friendly"
pygments_dark_style = "native"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6e99", "color-brand-content": "#0b6e99"},
    "dark_css_variables": {"color-brand-primary": "#6cc4e8", "color-brand-content": "#6cc4e8"},
}
