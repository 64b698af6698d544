"""AllenNLP's `Elmo`, run by an interpreter that has it (docs/performance.md), asked over pipes.

    PYTHON allennlp_elmo.py FOLDER THREADS    FOLDER: options.json, weights.hdf5, sentences.json

One request a line, one answer a line, both JSON: {"vectors": n, "to": FILE} saves the layers of the
first n sentences, from zero state; {"sentences": n, "batch": b, "sorted": true | false} encodes the
first n and answers with the seconds that it took. Nothing of ours but `stand_ins` is
imported here.
"""

import json
import sys
import time
from pathlib import Path

from stand_ins import Instead  # this file's folder is on the path


def main() -> None:
    folder, threads = Path(sys.argv[1]), int(sys.argv[2])
    sys.meta_path.insert(0, Instead())
    import torch
    from allennlp.modules import elmo, elmo_lstm

    elmo.cached_path = elmo_lstm.cached_path = str  # the files are here
    torch.set_num_threads(threads)
    # At one thread, CPU time: what else the machine does shall not count.
    now = time.process_time if threads == 1 else time.perf_counter
    sentences = json.loads((folder / "sentences.json").read_text(encoding="utf-8"))
    model = elmo.Elmo(folder / "options.json", folder / "weights.hdf5", 1, dropout=0).eval()

    def vectors(count: int, path: str) -> None:
        model._elmo_lstm._elmo_lstm.reset_states()
        with torch.no_grad():
            layers = model._elmo_lstm(elmo.batch_to_ids(sentences[:count]))["activations"]
        torch.save(torch.stack(layers, dim=1), path)  # (sentences, layers, tokens + 2, dim)

    def seconds(count: int, batch: int, in_order: bool) -> float:
        chosen = sentences[:count]
        if in_order:
            chosen = sorted(chosen, key=len)
        started = now()
        with torch.no_grad():
            for i in range(0, len(chosen), batch):
                model(elmo.batch_to_ids(chosen[i : i + batch]))
        return now() - started

    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "vectors" in asked:
            vectors(asked["vectors"], asked["to"])
            print(json.dumps("saved"), flush=True)
        else:
            spent = seconds(asked["sentences"], asked["batch"], asked["sorted"])
            print(json.dumps(spent), flush=True)


if __name__ == "__main__":
    main()
