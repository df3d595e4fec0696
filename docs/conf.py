"""Configuration of Sphinx. tools/docs.sh builds the site from the root of the repository into build/site.

The source folder is the root, so that links between docs, studies, examples and sources are the same on the site and on
a code host.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT / "python"), str(_ROOT / "docs")]

from _fortran import with_procedures  # noqa: E402 - in this folder

project = "ADCL"
author = "the authors of ADCL"
release = re.findall(r'__version__ = "(.*)"', (_ROOT / "python/adcl/_version.py").read_text(encoding="utf-8"))[0]
html_title = f"ADCL {release}"

root_doc = "docs/index"
include_patterns = ["docs/*.md", "studies/*/*/page.md"]
exclude_patterns = ["build", ".git", ".venv", ".venvs"]
extensions = [
    "breathe",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = [
    "misc.highlighting_failure",  # listings that leave lines out have an ellipsis
    "duplicate_declaration.c",  # a structure and the type of the same name
    "duplicate_declaration.cpp",  # the namespace, once for each header
]
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

breathe_projects = {"adcl": str(_ROOT / "build/docs/xml")}
breathe_default_project = "adcl"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
c_id_attributes = ["ADCL_API"]
autodoc_mock_imports = ["mpi4py", "cffi"]
autodoc_typehints = "signature"
default_role = "literal"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True

html_theme = "furo"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["site.css"]
html_additional_pages = {"index": "start.html"}
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}

_CONTENTS = {
    "Tutorials": "tutorial-stencil tutorial-graph tutorial-program tutorial-administrator",
    "How to": "how-to mpi-libraries user-guide cpp fortran python adcl1 interposer-sites evaluate testbed faq",
    "Reference": "reference api-c api-cpp api-fortran api-python adcl-command interposer tune profiler scale"
    " adcl-bench",
    "Explanation": "how-it-decides agreement default-search tune-search scale-models design-notes figures",
    "Evidence": "studies statements scale-examples workloads",
    "Changing ADCL": "development architecture",
}
"""Pages by chapter: the contents of the site. A code host shows the table of docs/index.md."""

_FOLDER = re.compile(r"\]\(((?:\.\./)+studies/[\w/]+)\)")


def _read(_app: Any, name: str, source: list[str]) -> None:
    """Change what a code host and the site treat differently: links to folders, and the interfaces of Fortran."""
    source[0] = _FOLDER.sub(r"](\1/page.md)", source[0])
    if name == root_doc:
        for chapter, pages in _CONTENTS.items():
            source[0] += f"\n```{{toctree}}\n:caption: {chapter}\n:hidden:\n:maxdepth: 1\n\n"
            source[0] += "\n".join(pages.split()) + "\n```\n"
    if name == "docs/studies":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n../studies/*/*/page\n```\n"
    if name == "docs/api-fortran":
        source[0] = with_procedures(source[0], _ROOT)


def setup(app: Any) -> None:
    """Register the changes to pages."""
    app.connect("source-read", _read)
