"""HTML pages of the project: one template, one style, figures that work without the internet.

A page is plain data (`Page` of `Section`s of blocks); `render` makes one self-contained HTML text of it. What a tool
wants to show it computes first, as records that can be tested; here it is only drawn.
"""

from adcl.report._draw import picture
from adcl.report._figures import (
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
from adcl.report._format import bytes_text, cell_text, percent, ratio, seconds
from adcl.report._model import Block, Cell, Code, Column, Facts, Figure, Headline, Page, Section, Table, Text
from adcl.report._render import render, write, write_text

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
