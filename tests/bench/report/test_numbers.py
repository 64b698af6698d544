"""The report's numbers, from made-up runs."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from statistics import mean, stdev

import pytest
from rich.console import Console

from bench.report import frames, wording
from bench.report.__main__ import main
from bench.report.formats import terminal
from bench.report.grid import fill
from bench.report.groups import groups
from bench.report.read import read, read_experiment
from bench.report.report import collect
from bench.report.score_table import scores
from bench.report.statistics import holm
from tests.bench.made_up import Maker, given


def test_cells_are_means_over_seeds_compared_with_the_baseline(
    made_up_runs: Path, made_up_report: Path
) -> None:
    lines = list(csv.DictReader((made_up_report / "report.csv").open()))
    table = {(line["row"], line["column"]): line for line in lines if "table2" in line["table"]}
    assert sum(row == "all tasks" for row, _ in table) == 2  # the columns that both tasks have
    table = {key: line for key, line in table.items() if key[0] != "all tasks"}
    assert len(table) == 8
    base, mixed = table["snli", "baseline"], table["snli", "all, λ=0.001"]
    values = [
        json.loads((made_up_runs / run / "result.json").read_text())["metrics"]["dev"]["accuracy"]
        for run in mixed["runs"].split()
    ]
    assert float(mixed["mean"]) == pytest.approx(mean(values))
    assert float(mixed["sd"]) == pytest.approx(stdev(values))
    assert (mixed["n"], mixed["seeds"], mixed["examples"]) == ("3", "1 2 3", "200")
    difference = float(mixed["mean"]) - float(base["mean"])
    assert float(mixed["difference"]) == pytest.approx(difference)
    assert float(mixed["low"]) < difference < float(mixed["high"])
    assert (base["difference"], base["p"]) == ("", "")
    ps = [(float(line["p"]), float(line["p_holm"])) for line in table.values() if line["p"]]
    assert [corrected for _, corrected in ps] == pytest.approx(holm([p for p, _ in ps]))
    assert "command" in mixed
    assert "seed=3" in mixed["command"]


def test_every_format_is_given_the_same_words(made_up_runs: Path) -> None:
    """By hand from the table that the formats set."""
    path = made_up_runs / ".experiments" / "table2-0123456789.json"
    table = scores(fill(read_experiment(path), read(made_up_runs)))
    assert [(row.label, row.paper) for row in table.rows] == [
        ("SNLI (dev accuracy)", True),
        ("NER (dev F1)", False),
    ]
    assert table.rows[0].yardsticks == "majority class 33.4"
    assert not table.partly
    base, _, penalised, mixed = table.rows[0].cells
    assert (mixed.score, mixed.sd, mixed.n, mixed.best) == ("72.5", "1.0", 3, True)
    assert mixed.ours == "72.5 ± 1.0 (n=3)"
    assert (mixed.against, mixed.direction, mixed.paper) == ("+14.3", "none", "")
    assert (base.against, base.direction, base.best, base.paper) == ("", "", False, "88.1")
    assert penalised.paper == "89.3 (+1.2)"
    gap = table.rows[1].cells[2]
    assert (gap.ours, gap.gaps) == ("", "1 failed, 1 missing, 1 unfinished")


def test_what_is_missing_says_why_and_which_command(made_up_report: Path) -> None:
    for name in ("report.md", "index.html"):
        text = (made_up_report / name).read_text().replace("\\", "")
        assert "out of memory in a batch of 32" in text
        assert "python -m bench task=ner elmo.layers=all seed=2" in text
        assert "1 failed, 1 missing, 1 unfinished" in text
    assert "none-00000broken/result.json" in (made_up_report / "index.html").read_text()


def test_markdown_has_ours_and_the_papers(made_up_report: Path) -> None:
    text = (made_up_report / "report.md").read_text()
    (ours,) = re.findall(r"\| SNLI \(dev accuracy\) \| 58.*", text)
    assert re.search(r"\*\*72\.5 ± 1\.0\*\* \(\+14\.3 \[−0\.1, \+28\.7\]\)", ours)
    assert "majority class 33.4" in ours
    assert "| *paper* | *88.1* | *89.1 (+1.0)* | *89.3 (+1.2)* |" in text
    widths = [line.count("|") for line in text.split("### ")[-1].splitlines() if "---" in line]
    assert widths
    for line in text.splitlines():
        if line.startswith("!["):
            assert (made_up_report / re.search(r"\((figures/.*)\)", line).group(1)).exists()  # type: ignore[union-attr]


def test_markdown_shows_names_as_they_are(tmp_path: Path) -> None:
    make = Maker(tmp_path / "_runs_")
    cells = [make.cell("snli", "no <ELMo>"), make.cell("snli", "a*b*", placement="input")]
    cells.append(make.cell("snli", "c|d", status="missing"))
    make.experiment("names", cells, baseline="no <ELMo>", source="S. <i>al.</i>", encoder="_x_")
    main([str(make.folder), "--format", "md"])
    text = (make.folder / "report" / "report.md").read_text()
    for expected in (
        "\\_runs\\_\n",
        "S. \\<i>al.\\</i> · data=mini · encoder=\\_x\\_ · data.train\\_share=0.333333\n",
        "\nDifferences from no \\<ELMo>:\n",
        "- snli, c\\|d, seed 1: missing",
    ):
        assert expected in text


@pytest.mark.parametrize(("same", "lines"), [(True, 1), (False, 2)])
def test_files_are_what_they_hold(tmp_path: Path, same: bool, lines: int) -> None:
    """Word vectors and an encoder at two places: the same bytes make one line of two seeds."""
    make = Maker(tmp_path)
    for seed in (1, 2):
        run_id = make.run(seed=seed, placement="input")
        folder = tmp_path / "snli" / run_id
        encoder = {"_target_": "elmo_core.load_encoder", "source": f"/machine{seed}/elmo"}
        given(folder, {"word_vectors": f"/machine{seed}/glove.txt", "encoder": encoder})
        result = json.loads((folder / "result.json").read_text())
        result["data"]["vectors"] = "0" if same else str(seed)
        (folder / "result.json").write_text(json.dumps(result))
    assert len(groups(read(tmp_path).finished)) == lines


def test_files_that_one_place_has_held_are_told_apart(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    for seed in (1, 2):
        folder = tmp_path / "snli" / make.run(seed=seed)
        given(folder, {"word_vectors": "/here/glove.txt"})
        result = json.loads((folder / "result.json").read_text())
        result["data"]["vectors"] = f"{seed}" * 64
        (folder / "result.json").write_text(json.dumps(result))
    told = [group.differs for group in groups(read(tmp_path).finished)]
    assert told == [f"word_vectors=/here/glove.txt ({seed * 6})" for seed in "12"]


def test_runs_that_differ_in_the_seed_alone_are_one_line(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    for seed in (3, 1, 2):
        make.run(seed=seed)
    make.run(train=30)
    found = groups(read(tmp_path).finished)
    assert sorted(len(group.runs) for group in found) == [1, 3]
    (merged,) = (group for group in found if len(group.runs) == 3)
    assert [run.seed for run in merged.runs] == [1, 2, 3]
    assert merged.differs.startswith("data.train_share=0.33")
    found_scores = merged.scores("dev")
    assert found_scores is not None
    assert found_scores.sd == pytest.approx(stdev(found_scores.values))


def test_a_whole_number_and_its_fraction_are_one_choice(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    for seed, dropout in ((1, 0), (2, 0.0), (3, 0.5)):
        given(tmp_path / "snli" / make.run(seed=seed), {"task.dropout": dropout})
    found = groups(read(tmp_path).finished)
    assert [len(group.runs) for group in found] == [2, 1]


def test_encoders_of_one_name_are_told_apart_by_their_keys(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    own = ({"seed": 1}, {"seed": 2}, {"seed": 0, "size": 64})
    for seed, keys in enumerate(own):
        folder = tmp_path / "snli" / make.run(seed=seed, placement="input")
        given(folder, {"encoder": {"_target_": "my_package.Static", **keys}})
        result = json.loads((folder / "result.json").read_text())
        result["encoder"]["fingerprint"] = f"static-{seed}"
        (folder / "result.json").write_text(json.dumps(result))
    make.run()
    found = [group.differs for group in groups(read(tmp_path).finished)]
    assert found == ["", "encoder.seed=0 encoder.size=64", "encoder.seed=1", "encoder.seed=2"]


def test_encoders_of_ones_own_are_told_apart_by_their_files(tmp_path: Path) -> None:
    """Their fingerprint may be a constant of the class."""
    make = Maker(tmp_path)
    for seed, weights in ((1, "a.pt"), (2, "a.pt"), (3, "b.pt")):
        folder = tmp_path / "snli" / make.run(seed=seed, placement="input")
        given(folder, {"encoder": {"_target_": "my_package.MyEncoder", "weights": weights}})
    found = {group.differs: len(group.runs) for group in groups(read(tmp_path).finished)}
    assert found == {"encoder.weights=a.pt": 2, "encoder.weights=b.pt": 1}


def test_what_all_runs_have_of_the_data_is_said(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    make.two_columns()
    for path in tmp_path.glob("snli/*/config.yaml"):
        path.write_text(path.read_text().replace("limit_batches: null", "limit_batches: 1"))
    said = ["data.train_share=0.333333", "trainer.limit_batches=1"]
    report = collect([tmp_path])
    assert wording.about(report.grids[0])[-2:] == said
    (block,) = frames.runs(report.groups)
    assert block.title == ", ".join(["SNLI on mini", *said])
    make.run(train=9_000)
    (block,) = frames.runs(collect([tmp_path]).groups)
    assert block.title == "SNLI on mini"


def test_every_run_has_a_command(tmp_path: Path) -> None:
    make = Maker(tmp_path / "my runs")
    make.experiment("two", [make.cell("snli", "baseline")])
    alone = make.run(seed=2)
    asked, other = sorted(read(make.folder).finished, key=lambda run: run.seed)
    assert asked.command == "python -m bench task=snli elmo.layers=all seed=1"
    assert f"--config-path='{other.folder}'" in other.command
    assert other.id == alone


def test_without_a_test_set_the_whole_row_is_of_dev(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = [
        make.cell("snli", "baseline", skill=0.55),
        make.cell("snli", "ELMo", skill=0.65, placement="input", splits=("dev",)),
    ]
    path = make.experiment("two", cells, split="test", baseline="baseline")
    found = fill(read_experiment(path), read(make.folder))
    assert found.split("snli") == "dev"
    entry = found.entries["snli", "ELMo"]
    assert entry.against is not None
    assert entry.against.examples == 200
    console = Console(width=120, record=True, file=io.StringIO())
    terminal.show(path, console)
    assert "no test score in every run, so dev is shown" in console.export_text()


def test_an_experiment_that_grew_stands_once(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    path = make.two_columns()
    part = json.loads(path.read_text())
    part["cells"] = part["cells"][:1]
    path.with_name("two-part.json").write_text(json.dumps(part))
    assert [found.path for found in read(tmp_path).experiments] == [path]


def test_the_terminal_shows_ours_the_difference_and_the_papers(made_up_runs: Path) -> None:
    console = Console(width=120, record=True, file=io.StringIO())
    terminal.show(made_up_runs / ".experiments" / "table2-0123456789.json", console)
    shown = console.export_text()
    for expected in ("72.5 ± 1.0 (n=3)", "+14.3", "paper 89.1 (+1.0)", "1 failed, 1 missing"):
        assert expected in shown


def test_a_paper_s_number_keeps_its_digits() -> None:
    assert wording.paper(88.0, None) == "88.0"
    assert wording.paper(90.15, 2.07) == "90.15 (+2.1)"


def test_layers_ascend(tmp_path: Path) -> None:
    for layers in ("0", "2", "10"):
        Maker(tmp_path).run(placement="input", layers=layers)
    assert [group.elmo.layers for group in collect([tmp_path]).groups] == ["0", "2", "10"]
