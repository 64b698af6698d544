"""Every figure of a report."""

from __future__ import annotations

import matplotlib

from bench.report.figures.curve import curve
from bench.report.figures.differences import forest
from bench.report.figures.efficiency import efficiency
from bench.report.figures.layer_weights import heat
from bench.report.figures.style import STYLE, Picture
from bench.report.figures.training import training
from bench.report.report import Report

VIEWS = {"table": forest, "curve": curve, "efficiency": efficiency, "weights": heat}


def draw(report: Report) -> list[Picture]:
    with matplotlib.rc_context(STYLE):
        found = [picture for grid in report.grids for picture in VIEWS[grid.experiment.view](grid)]
        return [*found, *training(report.groups)]
