"""Tables of what was measured."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from bench.console import counted
from bench.speed.measure import Measured


def show(found: Measured) -> None:
    """Print what was measured."""
    machine = found.machine
    console = Console(highlight=False)
    rates = ", ".join(f"{name} {rate / 1e9:,.0f}" for name, rate in machine.rates.items())
    console.print(
        f"{machine.name}, {counted(machine.cores, 'core')}, {counted(machine.threads, 'thread')}, "
        f"torch {machine.torch}; seconds are of {found.clock}\nmatrix products, GFLOP/s: {rates}"
    )
    for table in filter(None, (_featurizer(found), _errors(found), _peer(found))):
        console.print(table)
    console.print(_reading(found))
    if found.steps:
        console.print(_steps(found))
    if found.heads:
        console.print(_heads(found))
        console.print(_networks(found))
    for each in found.heads:
        console.print(f"{each.task} with {' '.join(each.overrides)}", markup=False)
        if each.difference:
            console.print(f"{each.task}, not the same: {each.difference}", markup=False)
    for task, reason in found.without.items():
        console.print(f"{task}: not measured: {reason}", markup=False)


def _table(title: str, names: tuple[str, ...], columns: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for name in names:
        table.add_column(name)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _featurizer(found: Measured) -> Table:
    first = found.featurizers[0]
    table = _table(
        f"\n{found.encoder}, tokens/s ({first.sentences:,} sentences, {first.tokens:,} tokens)",
        ("products in",),
        ("first call", "then", "limit", "share", "MFLOP a token"),
    )
    for each in found.featurizers:
        limit = ("–", "–")
        if each.limit is not None:
            limit = (f"{each.limit:,.0f}", f"{each.warm / each.limit:.0%}")
        rates = (f"{each.cold:,.0f}", f"{each.warm:,.0f}")
        table.add_row(each.precision, *rates, *limit, f"{each.operations / 1e6:,.1f}")
    return table


def _errors(found: Measured) -> Table | None:
    if not found.errors:
        return None
    table = _table("\ndifference from float32", ("products in", "layer"), ("largest", "mean"))
    for precision, layers in found.errors.items():
        for j, off in enumerate(layers):
            table.add_row(precision, str(j), f"{off.largest:.1e}", f"{off.mean:.1e}")
    return table


def _peer(found: Measured) -> Table | None:
    peer = found.peer
    if peer is None:
        return None
    first = peer.compared[0]
    table = _table(
        f"\nbeside AllenNLP's Elmo, tokens/s ({first.sentences:,} sentences, {first.tokens:,} "
        f"tokens); largest difference {peer.difference:.1e}",
        ("theirs in batches of",),
        ("theirs", *(part for name in first.ours for part in (name, "ratio"))),
    )
    for each in peer.compared:
        rates = each.ours.values()
        ours = [text for rate in rates for text in (f"{rate:,.0f}", f"{rate / each.theirs:.1f}")]
        way = f"{each.batch}, {'sorted by length' if each.in_order else 'as they come'}"
        table.add_row(way, f"{each.theirs:,.0f}", *ours)
    return table


def _reading(found: Measured) -> Table:
    table = _table("\nreading the store", ("page cache",), ("tokens/s", "GB/s"))
    for each in found.reading:
        rate, size = each.tokens_a_second, each.bytes_a_second / 1e9
        table.add_row(each.what, f"{rate:,.0f}", f"{size:.2f}")
    return table


def _steps(found: Measured) -> Table:
    table = _table(
        "\na training step, ms",
        ("task", "placement"),
        (
            *("batch", "step", "of it features and collating"),
            *("with torch's products", "times", "share of the machine's float32 rate"),
        ),
    )
    for each in found.steps:
        share = each.operations / each.whole / found.machine.rates["float32"]
        times = (
            *(f"{each.whole * 1e3:,.0f}", f"{each.data * 1e3:,.1f}", f"{each.plain * 1e3:,.0f}"),
            *(f"{each.plain / each.whole:.2f}", f"{share:.0%}"),
        )
        table.add_row(each.task, each.placement, str(each.batch_size), *times)
    return table


def _heads(found: Measured) -> Table:
    table = _table(
        "\na training step beside a network of AllenNLP's modules, ms",
        ("task", "products in"),
        ("batch", "theirs", "ours", "ratio", "share of the machine's rate: theirs", "ours"),
    )
    rates = found.machine.rates
    for each in found.heads:
        theirs = each.theirs
        of_theirs = theirs.rate / rates["float32"]
        for precision, ours in each.ours.items():
            times = (f"{side.seconds * 1e3:,.0f}" for side in (theirs, ours))
            shares = (f"{of_theirs:.0%}", f"{ours.rate / rates[precision]:.0%}")
            ratio = f"{theirs.seconds / ours.seconds:.2f}"
            table.add_row(each.task, precision, str(each.batch_size), *times, ratio, *shares)
    return table


def _networks(found: Measured) -> Table:
    """Show what both networks need, and by what one sees that they are the same."""
    columns = ("million parameters", "first loss, nothing dropped", "MB more at the peak")
    table = _table("\nboth networks, theirs / ours", ("task",), columns)
    for each in found.heads:
        both = (each.theirs, each.ours["float32"])
        table.add_row(
            each.task,
            " / ".join(f"{side.parameters / 1e6:.3f}" for side in both),
            " / ".join(f"{side.loss:.4f}" for side in both),
            " / ".join(f"{side.memory / 1e6:,.0f}" for side in both),
        )
    return table
