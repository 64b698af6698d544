"""The stories that each split of the built-in data is made from."""

from __future__ import annotations

import random

from tasks.smallworld import names
from tasks.smallworld.lexicon import Lexicon
from tasks.smallworld.stories import Story, tell
from tasks.smallworld.world import World

# split: its names, how often it prefers a held-out word, its number of stories.
# "press" is unlabelled text for language models: the only place where held-out words are shown.
PARTS = {
    "train": (names.TRAIN, 0.0, 360),
    "dev": (names.DEV, 0.25, 140),
    "test": (names.TEST, 0.25, 140),
    "press": (names.TRAIN, 0.25, 1000),
}


class Parts(dict[str, tuple[list[Story], Lexicon]]):
    """Each part's stories and the words that they may use, told when it is first asked for.

    Args:
        seed: Which world; the same seed always has the same stories.
    """

    def __init__(self, seed: int = 13) -> None:
        super().__init__()
        self.seed = seed

    def __missing__(self, part: str) -> tuple[list[Story], Lexicon]:
        people, novelty, number = PARTS[part]
        lexicon = Lexicon(novelty)
        world = World(part, people, lexicon, random.Random(f"world {part} {self.seed}"))
        self[part] = [tell(world, i) for i in range(number)], lexicon
        return self[part]
