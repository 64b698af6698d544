"""The task that docs/tasks.md shows: runs and full statistics, with nothing edited in here."""

from __future__ import annotations

import json
import random
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.evaluate.__main__ import main as evaluate
from bench.report.__main__ import main as make_report
from bench.report.grid import fill
from bench.report.read import Records, read
from tests.conftest import TINY_ENCODER

Bench = Callable[..., int]
DOCS = Path(__file__).parents[2] / "docs" / "tasks.md"


def blocks(language: str) -> list[str]:
    """What docs/tasks.md shows in this language."""
    parts = DOCS.read_text(encoding="utf-8").split(f"```{language}\n")[1:]
    return [part.split("```")[0] for part in parts]


def write_headlines(folder: Path) -> None:
    """Some that a mean of word vectors can tell apart, but not all."""
    folder.mkdir()
    drawn = random.Random(0)
    for split, size in (("train", 60), ("dev", 30), ("test", 40)):
        lines = []
        for _ in range(size):
            clickbait = drawn.random() < 0.5
            sure = "You will not believe" if clickbait else "Parliament votes on"
            begin = sure if drawn.random() < 0.7 else "She says"
            text = f"{begin} {drawn.choice(['this', 'her plan', 'the budget'])} ."
            lines.append(json.dumps({"text": text, "clickbait": clickbait}))
        (folder / f"{split}.jsonl").write_text("\n".join(lines) + "\n")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's, in which the page's files lie and the commands are called."""
    (code,), (task, experiment) = blocks("python"), blocks("yaml")
    for name, text in (
        ("headlines.py", code),
        ("my_conf/task/clickbait.yaml", task),
        ("my_conf/experiment/clickbait.yaml", experiment),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    write_headlines(tmp_path / "headlines")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # as `python -m` does
    monkeypatch.delitem(sys.modules, "headlines", raising=False)
    return tmp_path


def call(bench: Bench, *more: str) -> Records:
    """Do what the page says, with an encoder and epochs of seconds."""
    (shown,) = (block for block in blocks("") if block.startswith("python -m bench "))
    runs, report = shown.replace("\\\n", " ").splitlines()
    quick = (*TINY_ENCODER, "trainer=cpu", "training.max_epochs=2", *more)
    assert bench(*shlex.split(runs)[3:], *quick) == 0
    make_report(shlex.split(report)[3:])
    return read(Path("runs"), ["headlines", "nowhere"])


def test_the_page_s_task_gets_full_statistics(own: Path, bench: Bench) -> None:
    records = call(bench)
    assert len(records.finished) == 6
    (experiment,) = records.experiments
    entry = fill(experiment, records).entries["clickbait", "ELMo"]
    assert entry.not_compared == ""
    assert entry.against is not None
    assert (entry.against.seeds, entry.against.examples, entry.clusters) == (3, 30, 30)
    assert entry.against.low <= entry.against.difference <= entry.against.high
    assert 0 < entry.against.p <= 1
    assert "Clickbait without and with ELMo" in (own / "runs" / "report" / "report.md").read_text()


@pytest.mark.parametrize(
    ("row", "wrong"),
    [({"text": 5, "clickbait": False}, "needs the field 'text'"), ({"text": "Hi ."}, "no key 'cl")],
)
def test_a_row_that_is_wrong_is_named(
    row: dict[str, object], wrong: str, own: Path, bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    with open("headlines/dev.jsonl", "a") as file:
        file.write(json.dumps(row) + "\n")
    words = ("task=clickbait", "data.dir=headlines", "hydra.searchpath=[my_conf]", "trainer=cpu")
    assert bench(*words, *TINY_ENCODER) == 2
    said = capsys.readouterr().err
    assert "headlines/dev.jsonl, line 31: " in said
    assert wrong in said


def test_what_scores_its_runs_under_noise_can_be_typed_again(own: Path, bench: Bench) -> None:
    noise = "experiment.noise={kinds: [typos], shares: [0.1]}"
    records = call(bench, "experiment.seeds=[1]", noise)
    commands = [cell.command for cell in records.experiments[0].cells if "--noise" in cell.command]
    assert len(commands) == 2
    for command in commands:
        assert "--trust headlines" in command
        evaluate([*shlex.split(command)[3:], "--force"])


def test_a_task_named_like_ours_keeps_its_own_counts(own: Path, bench: Bench) -> None:
    """`snli` is scored by accuracy, the user's own by F1."""
    yaml = own / "my_conf" / "task" / "clickbait.yaml"
    yaml.write_text(yaml.read_text().replace("name: clickbait", "name: snli"))
    records = call(bench, "experiment.seeds=[1]")
    (experiment,) = records.experiments
    grid = fill(experiment, records)
    ((place, entry),) = ((k, e) for k, e in grid.entries.items() if e.against)
    base = grid.against(*place)
    assert {run.task for run in entry.runs} == {"snli"}
    assert {run.result.metric for run in entry.runs} == {"f1"}
    assert base is not None
    assert entry.against is not None
    shown = [each.scores.mean for each in (entry, base) if each.scores]
    assert entry.against.difference == pytest.approx(shown[0] - shown[1])


def test_a_record_whose_task_is_gone_is_told(own: Path, bench: Bench) -> None:
    call(bench, "experiment.seeds=[1]")
    records = read(Path("runs"), ["headlines", "nowhere"])
    for run in records.finished:
        config = run.config.read_text().replace("headlines.Clickbait", "nowhere.Clickbait")
        run.config.write_text(config)
    entry = fill(records.experiments[0], read(Path("runs"), ["headlines", "nowhere"])).entries[
        "clickbait", "ELMo"
    ]
    assert entry.against is None
    assert (
        "config.yaml: no task to count with (ModuleNotFoundError: No module named 'nowhere')"
        in entry.not_compared
    )


def test_the_report_imports_no_package_that_is_not_trusted(own: Path, bench: Bench) -> None:
    records = call(bench, "experiment.seeds=[1]")
    entry = fill(records.experiments[0], read(Path("runs"))).entries["clickbait", "ELMo"]
    assert entry.against is None
    assert "headlines.Clickbait is not of this suite: add --trust headlines" in entry.not_compared


def test_a_score_that_needs_what_was_learned_is_compared(own: Path, bench: Bench) -> None:
    """Without counts the split is scored again, by a task that knows what `prepare` found."""
    code = own / "headlines.py"
    text = code.read_text().replace("self.counts(row)", "self.sums(row)")
    text = text.replace("def counts(row)", "def sums(row)")
    text = text.replace(
        "        sums = np.sum(", "        assert self.words\n        sums = np.sum("
    )
    code.write_text(text)
    records = call(bench)
    entry = fill(records.experiments[0], records).entries["clickbait", "ELMo"]
    assert entry.not_compared == ""
    assert entry.against is not None


def test_a_model_that_holds_its_placement_twice_is_saved(own: Path, bench: Bench) -> None:
    code = own / "headlines.py"
    twice = "        self.inner = nn.ModuleDict({'placement': placement, 'words': words})\n"
    before = "        self.dropout = nn.Dropout("
    code.write_text(code.read_text().replace(before, twice + before))
    assert len(call(bench, "experiment.seeds=[1]").finished) == 2


def test_a_folder_with_a_test_set_alone_is_other_data(own: Path, bench: Bench) -> None:
    run = call(bench, "experiment.seeds=[1]").finished[0].folder
    other = own / "other"
    other.mkdir()
    (own / "headlines" / "test.jsonl").rename(other / "test.jsonl")
    evaluate([str(run), f"data.dir={other}", "--trust", "headlines"])
    (path,) = Path("runs").glob("clickbait/*-on-*/result.json")
    assert list(json.loads(path.read_text())["metrics"]) == ["test"]


def test_a_head_of_other_code_is_not_called_damaged_alone(
    own: Path, bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    run = call(bench, "experiment.seeds=[1]").finished[0].folder
    code = own / "headlines.py"
    code.write_text(code.read_text().replace("self.linear", "self.last"))
    sys.modules.pop("headlines")
    with pytest.raises(SystemExit) as stop:
        evaluate([str(run), "data.dir=headlines", "--trust", "headlines", "--force"])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert "if the code of its task was changed since the run, put it back" in said
    assert "last.weight" in said


MINE = """from tasks.snli import SNLI

class Mine(SNLI):
    def model(self, placement):
        model = super().model(placement)
        model.mine = True
        return model
"""


def test_a_class_derived_from_a_task_of_the_suite(
    small: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_heads.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_heads", raising=False)
    for placement in ("none", "input"):
        words = ("task._target_=my_heads.Mine", f"elmo.placement={placement}")
        small(*words, "training.max_epochs=1")
    make_report([str(tmp_path / "runs"), "--trust", "my_heads"])
    found = read(tmp_path / "runs", ["my_heads"]).finished
    assert [run.task for run in found] == ["snli", "snli"]
    assert all("my_heads.Mine" in run.config.read_text() for run in found)
