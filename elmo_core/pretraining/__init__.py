"""Training biLMs: text → corpus → language model → encoder. `python -m elmo_core.pretraining`.

The same from Python, with a model of a few hundred weights on a text of a thousand sentences:

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> from elmo_core import load_encoder
>>> from elmo_core.bilm.options import Options
>>> from elmo_core.downloads.presets import PRESETS
>>> from elmo_core.pretraining import folder
>>> from elmo_core.pretraining.export import export
>>> from elmo_core.pretraining.perplexity import measure_text
>>> from elmo_core.pretraining.prepare import Request, prepare
>>> from elmo_core.pretraining.settings import Training
>>> from elmo_core.pretraining.train import train
>>> published = PRESETS["elmo-mini"].options
>>> tiny = {
...     "lstm": {**published["lstm"], "dim": 8, "projection_dim": 4},
...     "char_cnn": {**published["char_cnn"], "filters": [[1, 4], [2, 4]]},
... }
>>> with TemporaryDirectory() as name:
...     here = Path(name)
...     lines = [f"Bank {i} closed at noon ." for i in range(1000)]
...     _ = (here / "text.txt").write_text("\\n".join(lines))
...     report = prepare([here / "text.txt"], here / "corpus", Request("tokenised", heldout=0.5))
...     settings = Training(batch_size=4, unroll_steps=5, epochs=0.1)
...     train(here / "corpus", here / "model", Options.parse(tiny), settings, accelerator="cpu")
...     model, vocabulary, _ = folder.load(here / "model")
...     perplexity = measure_text(model, vocabulary, [here / "corpus" / "heldout"])
...     export(here / "model", here / "mine.safetensors")
...     encoder = load_encoder(here / "mine.safetensors")
>>> report.vocabulary, encoder.dim, encoder.name
(8, 8, 'mine')
"""
