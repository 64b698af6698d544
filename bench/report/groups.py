"""All runs, grouped by choice: those that differ in their seed alone stand together."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from bench.choice import DRAW, FILES, OURS, by_contents, canonical, leaves
from bench.records import Elmo
from bench.report.grid import Scores
from bench.report.names import natural
from bench.report.read import Key, Run
from elmo_core.choices import PLACEMENTS

SHOWN = (
    "task.name",
    "data.name",
    "data.dir",
    "data.set",
    "elmo.placement",
    "elmo.layers",
    "elmo.l2",
    "ensemble",
)

ENCODER = "encoder."


@dataclass(frozen=True)
class Group:
    """Finished runs of one choice, by seed."""

    runs: tuple[Run, ...]
    differs: str  # what else tells it from others of its task and data, as KEY=VALUE …
    data: str = ""  # its name

    @property
    def first(self) -> Run:
        return self.runs[0]

    @property
    def elmo(self) -> Elmo:
        return self.first.result.elmo

    @property
    def encoder_names(self) -> str:
        """The name of its encoder; with one for each seed, all of them."""
        return ", ".join(dict.fromkeys(run.result.encoder_name for run in self.runs))

    @property
    def label(self) -> str:
        """The mix in a few words: `input · all · λ=0.1`."""
        members, elmo = self.first.result.ensemble, self.elmo
        seeds = ", ".join(str(member.seed) for member in members)
        parts = [f"seeds {seeds} together"] if members else []
        parts.append(elmo.placement)
        if elmo.layers is not None:
            parts.append(f"layers {elmo.layers}")
        if elmo.l2 is not None:
            parts.append(f"λ={elmo.l2:g}")
        return " · ".join(parts)

    def scores(self, split: str, metric: str | None = None) -> Scores | None:
        """The scores on a split, of the primary metric or of another that was recorded."""
        found = (run.result.score(split, metric) for run in self.runs)
        values = [value for value in found if value is not None]
        return Scores(tuple(values)) if values else None

    @property
    def epochs(self) -> float:
        return fmean(run.result.epochs for run in self.runs)

    @property
    def steps(self) -> float | None:
        """The mean number of training steps; None where a record of old does not count them."""
        steps = [run.result.steps for run in self.runs if run.result.steps is not None]
        return fmean(steps) if len(steps) == len(self.runs) else None

    @property
    def seconds(self) -> float:
        return fmean(run.result.seconds for run in self.runs)

    @property
    def parameters(self) -> int | None:
        return self.first.result.counts.get("trainable_parameters")


def groups(runs: Sequence[Run]) -> list[Group]:
    """Return the groups by task, data, encoder, placement and the rest; seeds ascend in each.

    Where a seed was run twice, on two editions of the data or by two versions, the later one
    stands.
    """
    names = _data_names(runs)
    alike: defaultdict[tuple[str, str], list[list[Run]]] = defaultdict(list)
    for same in _by_choice(runs, names):
        latest = {run.seed: run for run in sorted(same, key=_begun)}
        together = [latest[seed] for seed in sorted(latest)]
        alike[together[0].task, names[together[0]]].append(together)
    found = [group for (_, data), family in alike.items() for group in told_apart(family, data)]
    return sorted(found, key=_order)


def choice_numbers(runs: Sequence[Run]) -> dict[Key, int]:
    """Return a number for each run, by its key: the same for those that differ in their seed
    alone."""
    found = enumerate(_by_choice(runs, _data_names(runs)))
    return {run.key: number for number, family in found for run in family}


def _by_choice(runs: Sequence[Run], names: Mapping[Run, str]) -> Iterator[Sequence[Run]]:
    """Yield the runs of each choice, whose data are called `names`."""
    by_choice: defaultdict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_choice[same_text([run.task, choice_of(run, names[run])])].append(run)
    yield from with_draws(by_choice.values(), lambda run: choice_of(run, names[run]))


def with_draws(
    found: Iterable[Sequence[Run]], choice: Callable[[Run], dict[str, Any]]
) -> Iterator[Sequence[Run]]:
    """Yield the runs of each choice; those that draw an untrained encoder for each seed
    (encoder=random_by_seed) are one."""
    drawn: defaultdict[str, list[Run]] = defaultdict(list)
    for runs in found:
        chosen = choice(runs[0])
        encoder = chosen.get("encoder") or {}
        if {run.seed for run in runs} == {encoder.get("seed")}:
            chosen["encoder"] = {k: v for k, v in encoder.items() if k not in DRAW}
            drawn[same_text([runs[0].task, chosen])] += runs
        else:
            yield runs
    yield from drawn.values()


def _begun(run: Run) -> str:
    """Return when a run's last sitting began; nothing where an old record does not tell."""
    return run.result.provenance[-1].date if run.result.provenance else ""


def choice_of(run: Run, data: str) -> dict[str, Any]:
    """Return the choice, in which data, word vectors and encoder are what they hold, not where
    they lie; of an older version's run it is not known what the word vectors held."""
    chosen = {**run.choice, "data": {**run.choice["data"], "dir": data}}
    return by_contents(chosen, run.result)


def _data_names(runs: Sequence[Run]) -> dict[Run, str]:
    """Name the data of each run: the same examples by one name, wherever they lie.

    A run of an older version knows only where its data lay; what lay there for others is taken to
    be the same. Where one place held several data sets, their fingerprints tell them apart.
    """
    prints = {
        run: json.dumps(found) for run in runs if (found := run.result.data.get("fingerprint"))
    }
    held: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for run in prints:
        held[run.task, run.result.data_name].add(prints[run])
    names: dict[tuple[str, str], str] = {}
    for run in sorted(prints, key=lambda run: run.result.data_name):
        name = run.result.data_name
        several = len(held[run.task, name]) > 1
        names.setdefault((run.task, prints[run]), f"{name} ({_short(run)})" if several else name)
    named = {}
    for run in runs:
        here = held[run.task, run.result.data_name]
        found = prints.get(run) or (next(iter(here)) if len(here) == 1 else "")
        named[run] = names[run.task, found] if found else run.result.data_name
    return named


def _short(run: Run) -> str:
    """Return the beginning of a hash of all its splits' fingerprints."""
    prints = json.dumps(run.result.data["fingerprint"], sort_keys=True)
    return hashlib.sha256(prints.encode()).hexdigest()[:6]


def told_apart(
    family: Sequence[Sequence[Run]], data: str = "", shown: Sequence[str] = SHOWN
) -> Iterator[Group]:
    """Yield a group for each choice of a family, with the keys in which not all choices are alike.

    Args:
        family: The runs of each choice, all of one task and of the same data.
        data: Its name.
        shown: How keys begin that are told elsewhere.
    """
    differences = differing([runs[0] for runs in family], shown)
    for runs, differs in zip(family, differences, strict=True):
        yield Group(tuple(runs), differs, data)


def differing(runs: Sequence[Run], shown: Sequence[str]) -> list[str]:
    """Return of each run the keys in which not all are alike, as `elmo.l2=1 …`.

    The name of its encoder stands elsewhere: keys of it tell those of one name apart.
    """
    chosen = [dict(leaves(run.choice)) for run in runs]
    _mark_vectors(runs, chosen)
    keys = {key for each in chosen for key in each if not key.startswith(ENCODER)}
    told = {key for key in keys if tells(key, chosen)}
    of_encoder = _of_encoders(runs, chosen)
    return [
        " ".join(
            f"{key}={'null' if each[key] is None else each[key]}"
            for key in sorted((told | of_encoder[run.result.encoder_name]) & each.keys())
            if not key.startswith(tuple(shown))
        )
        for run, each in zip(runs, chosen, strict=True)
    ]


def _mark_vectors(runs: Sequence[Run], chosen: Sequence[dict[str, Any]]) -> None:
    """Add a hash to word vectors of one path that held several files."""
    held: defaultdict[str | None, set[str | None]] = defaultdict(set)
    for run, each in zip(runs, chosen, strict=True):
        held[each.get("word_vectors")].add(run.result.trained_on.get("vectors"))
    for run, each in zip(runs, chosen, strict=True):
        path, content = each.get("word_vectors"), run.result.trained_on.get("vectors")
        if path and content and len(held[path]) > 1:
            each["word_vectors"] = f"{path} ({content[:6]})"


def _of_encoders(
    runs: Sequence[Run], chosen: Sequence[Mapping[str, Any]]
) -> defaultdict[str, set[str]]:
    """Return the keys in which encoders of one name differ, by that name; those of files only
    where the encoders are not the same."""
    alike: defaultdict[str, list[tuple[Run, Mapping[str, Any]]]] = defaultdict(list)
    for run, each in zip(runs, chosen, strict=True):
        if f"{ENCODER}_target_" in each:  # and not facts, of a run whose configuration is lost
            alike[run.result.encoder_name].append((run, each))
    told: defaultdict[str, set[str]] = defaultdict(set)
    for name, found in alike.items():
        family = [each for _, each in found]
        prints = {run.result.encoder and run.result.encoder.fingerprint for run, _ in found}
        ours = all(str(each[f"{ENCODER}_target_"]).startswith(OURS) for each in family)
        same = [f"{ENCODER}{key}" for key in FILES] if ours and len(prints) == 1 else []
        keys = {key for each in family for key in each if key.startswith(ENCODER)}
        told[name] = {key for key in keys.difference(same) if tells(key, family)}
    return told


def tells(key: str, chosen: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether the groups differ in `key`; one without ELMo is not asked about keys of it."""
    asked = [each for each in chosen if key in each or not key.startswith("elmo.")]
    return len({same_text(each.get(key)) for each in asked}) > 1


def same_text(chosen: object) -> str:
    """Write what was chosen so that the same choice is the same text: 1 is 1.0, as in run ids."""
    return json.dumps(canonical(chosen), sort_keys=True, default=str)


def _order(group: Group) -> tuple[Any, ...]:
    elmo, result = group.elmo, group.first.result
    place = PLACEMENTS.index(elmo.placement) if elmo.placement in PLACEMENTS else 9
    l2 = -1.0 if elmo.l2 is None else elmo.l2
    of_run = (group.first.task, group.data, place > 0, result.encoder_name)
    return *of_run, place, natural(str(elmo.layers)), l2, natural(group.differs)
