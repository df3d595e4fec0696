"""HTML pages: one template, one style, and figures that work offline.

A page is plain data (`Page` of `Section`s of blocks); `render` converts it to one self-contained HTML text. Tools
compute the contents as records that tests can check; this package only draws them.
"""

from adcl.pages._draw import picture
from adcl.pages._figures import (
    BarChart,
    Bars,
    Box,
    BoxChart,
    HeatMap,
    Mark,
    PlotSeries,
    XyPlot,
    bar_figure,
    box_figure,
    heatmap,
    xy_figure,
)
from adcl.pages._format import bytes_text, cell_text, percent, ratio, seconds
from adcl.pages._model import Block, Cell, Code, Column, Facts, Figure, Headline, Page, Section, Table, Text
from adcl.pages._render import render, write, write_text

__all__ = [
    "BarChart",
    "Bars",
    "Block",
    "Box",
    "BoxChart",
    "Cell",
    "Code",
    "Column",
    "Facts",
    "Figure",
    "Headline",
    "HeatMap",
    "Mark",
    "Page",
    "PlotSeries",
    "Section",
    "Table",
    "Text",
    "XyPlot",
    "bar_figure",
    "box_figure",
    "bytes_text",
    "cell_text",
    "heatmap",
    "percent",
    "picture",
    "ratio",
    "render",
    "seconds",
    "write",
    "write_text",
    "xy_figure",
]
