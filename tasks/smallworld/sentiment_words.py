"""Evaluative words, in tables by what they are worth. A star marks a held-out word: it never
occurs in train, and has a seen word of the same worth beside it."""

from __future__ import annotations

# What is said of a thing, a place or a person: "was dreadful".
ADJECTIVES = {
    2: "wonderful superb brilliant splendid fantastic excellent outstanding "
    "*marvellous *magnificent *delightful *fabulous *stunning *exquisite *glorious",
    1: "good pleasant charming clever likeable nice fine enjoyable "
    "*agreeable *engaging *decent *amusing *appealing *satisfying *tasteful",
    0: "ordinary average usual long short new *typical *normal *common",
    -1: "bad dull boring clumsy tedious weak poor silly "
    "*dreary *mediocre *tiresome *unpleasant *bland *disappointing *annoying",
    -2: "awful terrible dreadful horrible disgusting ghastly appalling "
    "*atrocious *abysmal *hideous *horrendous *disgraceful *wretched *vile",
}
# What somebody felt about it: past, plain form.
VERBS = {
    2: "loved:love adored:adore treasured:treasure *cherished:cherish *worshipped:worship",
    1: "liked:like enjoyed:enjoy praised:praise *appreciated:appreciate *relished:relish",
    -1: "disliked:dislike resented:resent criticised:criticise *regretted:regret *mocked:mock",
    -2: "hated:hate despised:despise condemned:condemn *loathed:loathe *detested:detest",
}
# What it had, or had none of.
NOUNS = {
    1: "charm warmth style wit talent humour *elegance *grace *beauty *imagination *kindness",
    -1: "noise trouble confusion waste nonsense dirt *clutter *chaos *greed *misery *stupidity",
}
STRENGTHEN = "very really truly extremely *exceptionally *incredibly *remarkably"
WEAKEN = "fairly slightly rather *mildly *somewhat"
# What turns an adjective round, what only seems to, and what turns a verb round.
NOT = ("not", "never", "hardly", "far from", "anything but", "*scarcely")
NOTHING = ("nothing short of", "nothing but", "no less than")
DID_NOT = ("did not", "never did", "could not", "failed to", "*refused to")
NOBODY = "nobody"
EVERYBODY = ("I", "we", "everybody", "most people")

# What one can go to and have an opinion of.
EVENTS = "concert lecture play dinner film dance party wedding *exhibition *festival *opera *circus"
ASPECTS = "music food story ending company light *service *scenery *weather *dialogue"
