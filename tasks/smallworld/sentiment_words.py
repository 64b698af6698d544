"""Evaluative words, in tables by what they are worth. A star marks a held-out word: it never
occurs in train, and has a seen word of the same worth beside it."""

from __future__ import annotations

# What is said of a thing, a place or a person: "was dreadful".
ADJECTIVES = {
    2: "wonderful superb brilliant splendid *marvellous *magnificent",
    1: "good pleasant charming clever likeable *agreeable *engaging",
    0: "ordinary average usual long short new",
    -1: "bad dull boring clumsy tedious *dreary *mediocre",
    -2: "awful terrible dreadful horrible *atrocious *abysmal",
}
# What somebody felt about it: past, plain form.
VERBS = {
    2: "loved:love adored:adore *cherished:cherish",
    1: "liked:like enjoyed:enjoy *appreciated:appreciate",
    -1: "disliked:dislike resented:resent *regretted:regret",
    -2: "hated:hate despised:despise *loathed:loathe",
}
# What it had, or had none of.
NOUNS = {
    1: "charm warmth style wit *elegance",
    -1: "noise trouble confusion waste *clutter",
}
STRENGTHEN = "very really truly extremely *exceptionally"
WEAKEN = "fairly slightly rather *mildly"
# What turns an adjective round, what only seems to, and what turns a verb round.
NOT = ("not", "never", "hardly", "far from", "anything but", "*scarcely")
NOTHING = ("nothing short of", "nothing but", "no less than")
DID_NOT = ("did not", "never did", "could not", "failed to", "*refused to")
NOBODY = "nobody"
EVERYBODY = ("I", "we", "everybody", "most people")

# What one can go to and have an opinion of.
EVENTS = "concert lecture play dinner film dance party *exhibition"
ASPECTS = "music food story ending company light *service"
