"""Every figure of a report."""

from __future__ import annotations

import matplotlib

from bench.report.curve import curve
from bench.report.efficiency import efficiency
from bench.report.forest import forest
from bench.report.heat import heat
from bench.report.picture import STYLE, Picture
from bench.report.report import Report
from bench.report.training import training

VIEWS = {"table": forest, "curve": curve, "efficiency": efficiency, "weights": heat}


def draw(report: Report) -> list[Picture]:
    with matplotlib.rc_context(STYLE):
        found = [picture for grid in report.grids for picture in VIEWS[grid.experiment.view](grid)]
        return [*found, *training(report.groups)]
