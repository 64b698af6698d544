"""What a reader of a table must know, in sentences that stand under it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from bench.console import counted
from bench.records import Searched
from bench.report.all_tasks import over_all_tasks
from bench.report.grid import Grid
from bench.report.pairs import paired
from bench.report.paper_notes import of_paper
from bench.report.probes import EXPLAINED, probes
from bench.report.resolution import LARGEST, Resolution, resolutions
from bench.report.statistics import MOST_SEEDS, POWER
from bench.report.training_notes import of_training
from bench.report.wording import CONFIDENCE, HOLLOW_MARKED, MARKED, chosen, smallest

REPRODUCTION = "Against the reference"
REPRODUCED = (
    "Runs of the same id: the same choice and the same seed. The difference is here minus "
    "reference, paired by seed and example; its interval is over both where there are several "
    "seeds, and over examples alone for one. Within the interval means that it leaves 0 in: what "
    "differs is no more than another training, or other examples, would make."
)


def signs(grid: Grid) -> list[str]:
    """Return of the notes of a table what its signs mean, as a paper's caption says it."""
    sign = [f"With a sign: the difference from {grid.baseline}."] if grid.comparisons else []
    return [*_scores(grid), *sign, *_stars(grid)]


def notes(grid: Grid) -> list[str]:
    """Return the notes of an experiment's table, a sentence or two each."""
    return [
        *_scores(grid),
        *_cut_short(grid),
        *_ensembles(grid),
        *_searches(grid),
        *of_training(grid),
        *_differences(grid),
        *_fewer_seeds(grid),
        *_alike(grid),
        *_resolution(resolutions(grid)),
        *_all_tasks(grid),
        *_probes(grid),
        *_trivial(grid),
        *_data(grid),
        *(
            f"{row}, {column}: not compared: {entry.not_compared}."
            for (row, column), entry in grid.entries.items()
            if entry.not_compared
        ),
    ]


def _scores(grid: Grid) -> Iterator[str]:
    several = any(e.scores and e.scores.sd is not None for e in grid.entries.values())
    if grid.runs:
        spread = "± is the sample standard deviation over n seeds; no ± means one seed."
        yield spread if several else "One seed a cell."


def _cut_short(grid: Grid) -> Iterator[str]:
    """Say how many runs, or runs evaluated, are trials, which saw a few batches of the data."""
    runs = {run.key: run for run in grid.runs}
    limits = Counter(run.limit_batches for run in runs.values() if run.limit_batches)
    for limit, number in sorted(limits.items()):
        yield (
            f"{number} of {counted(len(runs), 'run')} saw {counted(limit, 'batch')} of each "
            "split only (trainer.limit_batches): a trial, no result."
        )


def _ensembles(grid: Grid) -> Iterator[str]:
    of_differences = {
        name
        for (row, column), entry in grid.entries.items()
        if entry.against
        for name in (column, grid.base(row, column))
    }
    found = dict.fromkeys(
        (column, tuple(len(run.result.ensemble) for run in entry.runs if run.result.ensemble))
        for (_, column), entry in grid.entries.items()
    )
    for column, sizes in found:
        if not sizes:
            continue
        several = f"{len(sizes)} ensembles"
        how = "each counts once, beside the mean of its seeds; those that share a run count as one"
        if len(sizes) == 1:
            several, how = "one ensemble", "how much another one would differ is in no interval"
        alike = len({*sizes}) == 1
        runs = counted(sizes[0], "run") if alike else f"{', '.join(map(str, sizes))} runs"
        yield f"{column}: {several} of {runs}{f'; {how}' if column in of_differences else ''}."


def _searches(grid: Grid) -> Iterator[str]:
    def budget(search: Searched) -> tuple[int, int, list[str]]:
        return len(search.trials), search.seed, list(search.chosen)

    searches = sorted(grid.experiment.searches, key=budget)
    for (count, seed, keys), alike in groupby(searches, budget):
        rows = [list(of_row) for _, of_row in groupby(alike, lambda search: search.row)]
        each = "column" if len(rows) == 1 else "row and column"
        found = [_chosen(of_row, named=len(rows) > 1) for of_row in rows]
        yield (
            f"Each {each}: {counted(count, 'trial')} on dev with seed {seed} ({', '.join(keys)}), "
            f"the same for all; chosen, of equals the first: {'; '.join(found)}."
        )
    if searches and any(grid.split(row) == "dev" for row in grid.experiment.rows):
        tested = any(run.score("test") is not None for run in grid.runs)
        yield (
            "These values were chosen on dev, so the dev scores shown are somewhat too high, those "
            f"of seed {searches[0].seed} most of all{'; test scores are not' if tested else ''}."
        )


def _chosen(of_row: list[Searched], named: bool) -> str:
    """Return `none 0.001, 0.5; ELMo 0.002, 0.5`, with the row where it is to be `named`."""
    texts = []
    for search in of_row:
        fewer = f" ({counted(search.runs, 'run')})" if search.runs < len(search.trials) else ""
        place = f"{search.row}, {search.column}" if named else search.column
        texts.append(f"{place} {chosen(search)}{fewer}")
    return "; ".join(texts)


def _differences(grid: Grid) -> Iterator[str]:
    seeds = {each.seeds for each in grid.comparisons}
    if not seeds:
        return
    over = "over seeds and examples" if seeds != {1} else "over examples"
    yield (
        f"With a sign: the difference from {grid.baseline}, paired by seed and example; its "
        f"{CONFIDENCE} interval is {over} (docs/statistics.md)."
    )
    yield from _stars(grid)
    if 1 in seeds:
        yield (
            "One seed: of these examples only. Another seed may give another difference, so the "
            "star is hollow."
        )
    if 2 in seeds:
        yield "Two seeds: the interval is rough; a third seed makes it far narrower."
    rows = dict.fromkeys(
        row for (row, _), e in grid.entries.items() if e.against and e.clusters is None
    )
    if rows:
        yield f"{', '.join(rows)}: examples taken as independent: these records name no clusters."


def _stars(grid: Grid) -> Iterator[str]:
    """Say what stars mean, where there are comparisons."""
    seeds = {each.seeds for each in grid.comparisons}
    if seeds:
        stars = [MARKED] * (seeds != {1}) + [HOLLOW_MARKED] * (1 in seeds)
        compared = counted(len(grid.comparisons), "comparison")
        yield f"{'; '.join(stars)}: two-sided, with Holm's correction over this table's {compared}."


def _fewer_seeds(grid: Grid) -> Iterator[str]:
    """Say where a difference is not that of the scores beside it, since some have no partner."""
    found = []
    for (row, column), entry in grid.entries.items():
        base = grid.against(row, column)
        if base and entry.against:
            pairs = paired(base.runs, entry.runs)
            if {run for pair in pairs for run in pair} < {*base.runs, *entry.runs}:
                found.append(f"{row}, {column} ({entry.against.seeds})")
    if found:
        yield f"Differences of the seeds that both have, fewer than the scores: {'; '.join(found)}."


def _alike(grid: Grid) -> Iterator[str]:
    alike = sum(each.alike for each in grid.comparisons)
    if alike:
        yield (
            f"In {counted(alike, 'comparison')} the difference is the same on every example: "
            "the interval has no width, and says nothing of other examples."
        )


def _resolution(found: list[Resolution]) -> Iterator[str]:
    if not found:
        return
    each = sorted(one.smallest for one in found)
    least, most = smallest(each[0]), smallest(each[-1])
    points = f"{least} points" if least == most else f"{least} to {most} points, by comparison,"
    times = f"{100 * POWER:.0f} times in 100"
    often = f"is found {times} (the interval leaves out 0; a star takes more)"
    if each[0] < LARGEST:
        yield (
            f"What this table can see: a true difference of {points} {often}. A smaller one is "
            "often missed: no star does not mean no difference."
        )
    else:
        yield f"What this table can see: no difference that is possible {often}: take more seeds."
    asked = [one for one in found if one.paper and not one.against.one_seed]
    if asked:
        yield f"The paper's difference takes {_seeds(asked)}."


def _seeds(asked: list[Resolution]) -> str:
    """Return `3 to 8 seeds; more than 100, for want of examples, in 2 of 6 comparisons`."""
    enough = sorted(one.seeds for one in asked if one.seeds)
    beyond, texts = len(asked) - len(enough), []
    if enough:
        low, high = enough[0], enough[-1]
        texts.append(f"{low} seeds" if low == high else f"{low} to {high} seeds, by comparison")
    if beyond:
        more = f"more than {MOST_SEEDS} seeds, for want of examples,"
        texts.append(f"{more} in {beyond} of {counted(len(asked), 'comparison')}")
    return "; ".join(texts)


def _all_tasks(grid: Grid) -> Iterator[str]:
    if over_all_tasks(grid):
        yield (
            "Over all tasks: every task counts alike. The probability of improvement is how often "
            f"a run beats one of {grid.baseline}, whatever the examples (Agarwal et al. 2021)."
        )


def _probes(grid: Grid) -> Iterator[str]:
    if any(probes(grid)):
        yield EXPLAINED


def _trivial(grid: Grid) -> Iterator[str]:
    if any(len(grid.sizes(row)) > 1 and grid.yardsticks(row) for row in grid.experiment.rows):
        yield "Trivial baselines are of the column with the most training examples."


def _data(grid: Grid) -> Iterator[str]:
    experiment = grid.experiment
    for row in experiment.rows:
        split = grid.split(row)
        if split != experiment.split:
            yield f"{row}: no {experiment.split} score in every run, so {split} is shown."
        runs = grid.runs_of(row)
        metrics = dict.fromkeys(run.result.metric for run in runs)
        if len(metrics) > 1:
            yield f"{row}: scored by {' and by '.join(metrics)}: these scores do not compare."
        lacking = sum(run.score(split) is None for run in runs)
        if lacking:
            yield f"{row}: {counted(lacking, 'run')} without a score on {split}: in no mean."
        known = (run.result.data.get("fingerprint", {}) for run in runs)
        if len({prints[split] for prints in known if split in prints}) > 1:
            yield (
                f"{row}: not all of its runs were scored on the same {split} examples "
                "(data.fingerprint), so that their data differs, too."
            )
    yield from of_paper(grid)
