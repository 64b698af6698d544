"""The vocabulary, in tables. A star marks a held-out word: it never occurs in a training pair.

Held-out words have a seen relative (a synonym, an antonym or a wider word), so that what is
learnt can carry over to them.
"""

from __future__ import annotations

# meaning frame [swap] [above:wider meaning] [against:excluded meaning] [opposite] | verbs
# swap:     what follows when the two people change places: "mutual" the same, "oneway" the
#           contrary; without either, nothing.
# opposite: of this meaning and the excluded one, one always holds.
# verbs:    base, past, participle if it differs; which way a transfer is told; "dative" where
#           "lent Ann a car" is said as well.
PREDICATES = """
trade   transfer oneway against:loan    | sell sold to dative, buy bought from
trade   transfer oneway against:loan    | *purchase purchased from
loan    transfer oneway against:trade   | lend lent to dative, borrow borrowed from
repair  craft                           | repair repaired, fix fixed, *mend mended
paint   craft                           | paint painted
damage  craft                           | damage damaged
break   craft above:damage              | break broke broken
wreck   craft above:damage              | *wreck wrecked
find    handle against:lose             | find found, *discover discovered
lose    handle against:find             | lose lost, *misplace misplaced
take    handle                          | take took taken
steal   handle above:take               | steal stole stolen
help    contact                         | help helped, assist assisted, *aid aided
praise  contact                         | praise praised, *commend commended
phone   contact                         | phone phoned, call called
meet    contact mutual                  | meet met, *encounter encountered
marry   contact mutual                  | marry married, *wed wed
defeat  contact oneway                  | defeat defeated, beat beat beaten, *outplay outplayed
hire    contact oneway against:dismiss  | hire hired, *recruit recruited
dismiss contact oneway against:hire     | dismiss dismissed, *sack sacked
follow  contact oneway                  | follow followed
chase   contact oneway above:follow     | chase chased
join    member against:quit             | join joined
quit    member against:join             | quit quit
work    solo against:rest               | work worked
rest    solo against:work               | rest rested, relax relaxed
perform solo                            | perform performed
sing    solo above:perform              | sing sang sung
dance   solo above:perform              | dance danced
juggle  solo above:perform              | *juggle juggled
laugh   solo against:weep               | laugh laughed
weep    solo against:laugh              | weep wept, cry cried
succeed solo against:fail               | succeed succeeded
fail    solo against:succeed            | fail failed
awake   state against:asleep opposite   | awake
asleep  state against:awake opposite    | asleep
healthy state against:ill opposite      | healthy, *well
ill     state against:healthy opposite  | ill, sick
happy   state against:sad               | happy, *cheerful
sad     state against:happy             | sad, unhappy
"""

NO_PASSIVE = frozenset(["meet", "encounter", "marry", "wed", "join", "quit"])

PEOPLE = {
    "adult": "woman man",
    "child": "girl boy",
    "musician": "singer violinist *drummer",
    "scientist": "chemist botanist *geologist",
    "athlete": "swimmer boxer *skater",
}
TRADES = ("musician", "scientist", "athlete")  # one may be any of them, and an adult or a child
THINGS = {
    "fruit": "apple pear *plum",
    "tool": "hammer saw *drill",
    "instrument": "guitar flute *trumpet",
    "vehicle": "car bicycle *scooter",
}
BODIES = {"organisation": "bank school club *museum"}
VENUES = {"indoors": "library office *hall", "outdoors": "park garden *field"}
DAYS = {"weekday": "Monday Tuesday *Friday", "weekend": "Saturday Sunday"}

# Words of a group rule each other out; words joined by "=" mean the same.
QUALITIES = {
    "person": ("tall short", "young old=*elderly"),
    "thing": ("big=large small=*tiny", "red blue"),
}
