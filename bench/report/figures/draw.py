"""Every figure of a report."""

from __future__ import annotations

import matplotlib

from bench.experiment import View
from bench.report.figures.curve import curve
from bench.report.figures.differences import forest
from bench.report.figures.efficiency import efficiency
from bench.report.figures.layer_weights import heat
from bench.report.figures.noise import noise
from bench.report.figures.style import STYLE, Picture
from bench.report.figures.training import training
from bench.report.report import Report

VIEWS = {
    View.table: forest,
    View.curve: curve,
    View.efficiency: efficiency,
    View.weights: heat,
    View.noise: noise,
}


def draw(report: Report) -> list[Picture]:
    """Return the figures of every experiment, as its view asks, then the training curves."""
    with matplotlib.rc_context(STYLE):
        found = [picture for grid in report.grids for picture in VIEWS[grid.experiment.view](grid)]
        return [*found, *training(report.groups)]
