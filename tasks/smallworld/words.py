"""The vocabulary, in tables. A star marks a held-out word: no story of training has it.

Held-out words have a seen relative (a synonym, an antonym or a wider word), so that what is
learnt can carry over to them.
"""

from __future__ import annotations

# meaning frame [bodies] [swap] [above:wider meaning] [against:excluded meaning] [opposite] | verbs
# bodies:   organisations do it, too.
# swap:     what follows when the two people change places: "mutual" the same, "oneway" the
#           contrary; without either, nothing.
# opposite: of this meaning and the excluded one, one always holds.
# verbs:    base, past, participle if it differs; which way a transfer is told; "dative" where
#           "lent Ann a car" is said as well.
PREDICATES = """
trade     transfer bodies oneway against:loan   | sell sold to dative, buy bought from
trade     transfer bodies oneway against:loan   | *purchase purchased from
loan      transfer bodies oneway against:trade  | lend lent to dative, borrow borrowed from
send      transfer bodies oneway                | send sent to dative, *mail mailed to dative
repair    craft    bodies against:damage        | repair repaired, fix fixed, restore restored
repair    craft    bodies against:damage        | *mend mended, *patch patched
paint     craft                                 | paint painted
decorate  craft                                 | decorate decorated, *adorn adorned
clean     craft    bodies                       | clean cleaned
scrub     craft    above:clean                  | wash washed, *scrub scrubbed, *rinse rinsed
damage    craft    bodies against:repair        | damage damaged
break     craft    above:damage                 | break broke broken, *crack cracked
wreck     craft    bodies above:damage          | destroy destroyed, *wreck wrecked
wreck     craft    bodies above:damage          | *demolish demolished
examine   handle                                | examine examined, inspect inspected
examine   handle                                | *scrutinise scrutinised
find      handle   bodies against:lose          | find found, *discover discovered, *locate located
lose      handle   bodies against:find          | lose lost, *misplace misplaced
hide      handle   bodies against:reveal        | hide hid hidden, *conceal concealed
hide      handle   bodies against:reveal        | *stash stashed
reveal    handle   bodies against:hide          | reveal revealed, *unveil unveiled
take      handle                                | take took taken
seize     handle   above:take                   | grab grabbed, *seize seized, *snatch snatched
steal     handle   above:take                   | steal stole stolen, *swipe swiped
move      handle                                | move moved
drag      handle   above:move                   | drag dragged, *haul hauled
carry     handle   above:move                   | carry carried, *lug lugged
want      handle   bodies                       | want wanted, desire desired, *crave craved
help      contact  bodies                       | help helped, assist assisted, *aid aided
praise    contact  bodies against:insult        | praise praised, *commend commended
praise    contact  bodies against:insult        | *compliment complimented
insult    contact  bodies against:praise        | insult insulted, *mock mocked, *ridicule ridiculed
phone     contact  bodies                       | phone phoned, call called, *telephone telephoned
meet      contact  mutual                       | meet met, *encounter encountered
marry     contact  mutual                       | marry married, *wed wed
greet     contact  bodies                       | greet greeted, welcome welcomed, *salute saluted
warn      contact  bodies                       | warn warned, *caution cautioned, *alert alerted
deceive   contact  bodies oneway                | deceive deceived, trick tricked, *fool fooled
deceive   contact  bodies oneway                | *dupe duped
touch     contact                               | touch touched
hug       contact  above:touch                  | hug hugged, *embrace embraced
push      contact  above:touch                  | push pushed, *shove shoved
defeat    contact  bodies oneway                | defeat defeated, beat beat beaten
defeat    contact  bodies oneway                | *outplay outplayed, *trounce trounced
question  contact                               | question questioned, *interrogate interrogated
rescue    contact  bodies oneway                | rescue rescued, save saved
hire      contact  bodies oneway against:dismiss| hire hired, *recruit recruited, *employ employed
dismiss   contact  bodies oneway against:hire   | dismiss dismissed, *sack sacked
follow    contact  oneway                       | follow followed, *trail trailed
chase     contact  oneway above:follow          | chase chased, *pursue pursued
visit     regard                                | visit visited, tour toured
admire    regard   against:despise              | admire admired, respect respected, *revere revered
despise   regard   against:admire               | despise despised, *scorn scorned
despise   regard   against:admire               | *disdain disdained
love      regard   against:hate                 | love loved, *adore adored, *cherish cherished
hate      regard   against:love                 | hate hated, *loathe loathed, *detest detested
remember  regard   against:forget               | remember remembered, recall recalled
remember  regard   against:forget               | *recollect recollected
forget    regard   against:remember             | forget forgot forgotten
mention   regard   bodies                       | mention mentioned, *cite cited
discuss   regard   bodies                       | discuss discussed, *debate debated
describe  regard   bodies                       | describe described, *depict depicted
describe  regard   bodies                       | *portray portrayed
criticise regard   bodies                       | criticise criticised, *denounce denounced
criticise regard   bodies                       | *slate slated
defend    regard   bodies                       | defend defended, protect protected
defend    regard   bodies                       | *safeguard safeguarded
ignore    regard   bodies                       | ignore ignored, *neglect neglected
ignore    regard   bodies                       | *disregard disregarded
trust     regard   bodies against:distrust      | trust trusted
distrust  regard   bodies against:trust         | distrust distrusted, doubt doubted
distrust  regard   bodies against:trust         | *mistrust mistrusted
choose    regard   bodies against:reject        | choose chose chosen, *select selected
reject    regard   bodies against:choose        | reject rejected, *spurn spurned
study     regard   bodies                       | study studied, *analyse analysed
study     regard   bodies                       | *research researched
support   regard   bodies against:oppose        | support supported, back backed
support   regard   bodies against:oppose        | *champion championed
oppose    regard   bodies against:support       | oppose opposed, *resist resisted
miss      regard                                | miss missed
join      member   against:quit                 | join joined
quit      member   against:join                 | quit quit, leave left, *abandon abandoned
work      solo     against:rest                 | work worked, *toil toiled
rest      solo     against:work                 | rest rested, relax relaxed, *lounge lounged
perform   solo                                  | perform performed
sing      solo     above:perform                | sing sang sung, *hum hummed
dance     solo     above:perform                | dance danced, *waltz waltzed
juggle    solo     above:perform                | *juggle juggled
laugh     solo     against:weep                 | laugh laughed, *giggle giggled, *chuckle chuckled
weep      solo     against:laugh                | weep wept, cry cried, *sob sobbed
speak     solo                                  | speak spoke spoken, talk talked
whisper   solo     above:speak                  | whisper whispered, *murmur murmured
shout     solo     above:speak                  | shout shouted, yell yelled, *bellow bellowed
complain  solo     bodies                       | complain complained, *grumble grumbled
complain  solo     bodies                       | *moan moaned
travel    solo                                  | travel travelled, *journey journeyed
succeed   solo     bodies against:fail          | succeed succeeded, *triumph triumphed
succeed   solo     bodies against:fail          | *prevail prevailed
fail      solo     bodies against:succeed       | fail failed, *flop flopped
fall      solo                                  | fall fell fallen, *stumble stumbled
fall      solo                                  | *tumble tumbled
awake     state    against:asleep opposite      | awake
asleep    state    against:awake opposite       | asleep
healthy   state    against:ill opposite         | healthy, *well
ill       state    against:healthy opposite     | ill, sick, *unwell
happy     state    against:sad                  | happy, glad, cheerful, *joyful
sad       state    against:happy                | sad, unhappy, miserable, *gloomy
angry     state    against:calm                 | angry, furious, *enraged
calm      state    against:angry                | calm, *serene
wealthy   state    bodies against:poor          | rich, wealthy, *prosperous
poor      state    bodies against:wealthy       | poor, *penniless
tired     state                                 | tired, weary, *exhausted
afraid    state                                 | afraid, scared, frightened, *terrified
famous    state    bodies                       | famous, renowned, *celebrated
guilty    state    bodies against:innocent opposite| guilty
innocent  state    bodies against:guilty opposite| innocent, *blameless
"""

NO_PASSIVE = frozenset(["meet", "encounter", "marry", "wed", "join", "quit", "leave", "abandon"])

PEOPLE = {
    "adult": "woman man",
    "child": "girl boy",
    "musician": "singer violinist pianist *drummer *cellist *guitarist",
    "scientist": "chemist botanist astronomer *geologist *physicist *zoologist",
    "athlete": "swimmer boxer runner *skater *wrestler *cyclist",
    "doctor": "surgeon dentist *psychiatrist *optician",
    "artist": "painter sculptor *engraver *illustrator",
    "soldier": "sergeant captain *corporal *colonel *lieutenant",
    "official": "mayor judge minister *senator *ambassador *governor",
    "writer": "poet novelist *playwright *biographer *journalist",
    "criminal": "robber murderer burglar *smuggler *kidnapper *forger",
    "craftsman": "carpenter tailor potter *blacksmith *plumber *weaver",
    "teacher": "professor lecturer *tutor *instructor",
    "servant": "butler maid *footman *gardener",
}
TRADES = (  # one may be any of them, and an adult or a child
    *("musician", "scientist", "athlete", "doctor", "artist", "soldier", "official", "writer"),
    *("criminal", "craftsman", "teacher", "servant"),
)
THINGS = {
    "fruit": "apple pear lemon *plum *melon *banana",
    "tool": "hammer saw spade *drill *axe *chisel",
    "instrument": "guitar flute piano *trumpet *cello *clarinet",
    "vehicle": "car bicycle truck *scooter *tractor *motorcycle",
    "vessel": "boat ferry yacht *canoe *raft *schooner",
    "garment": "coat skirt shirt *jacket *sweater *blouse",
    "weapon": "sword gun rifle *pistol *dagger *spear",
    "container": "basket bucket bottle *barrel *suitcase *jar",
    "jewel": "ring necklace diamond *bracelet *pendant *emerald",
    "toy": "doll kite puppet *marble *balloon *puzzle",
}
BODIES = {
    "organisation": "bank school club theatre college company "
    "*museum *hospital *orchestra *institute *newspaper"
}
VENUES = {
    "indoors": "library office kitchen studio cellar *hall *gallery *basement *attic *chapel",
    "outdoors": "park garden street square forest *field *meadow *courtyard *harbour *vineyard",
}
DAYS = {"weekday": "Monday Tuesday Wednesday *Thursday *Friday", "weekend": "Saturday Sunday"}

# Words of a group rule each other out; words joined by "=" mean the same.
QUALITIES = {
    "person": (
        "tall short",
        "young=*youthful old=*elderly",
        "thin=slim=*slender fat=*stout=*plump",
        "brave=*courageous=*fearless cowardly=*timid",
        "clever=intelligent=*brainy stupid=*foolish",
        "kind=friendly=*amiable cruel=*brutal=*heartless",
        "French Dutch Polish German *Danish *Turkish *Irish *Swedish",
    ),
    "thing": (
        "big=large=*sizeable small=little=*tiny=*miniature",
        "red blue green yellow *purple *pink *brown",
        "old=ancient=*antique new=modern",
        "cheap=*inexpensive expensive=costly=*pricey",
        "beautiful=pretty=*lovely=*gorgeous ugly=*hideous=*unsightly",
        "clean=*spotless dirty=*filthy=*grimy",
        "strong=sturdy=*robust weak=fragile=*flimsy",
    ),
}

# role | preposition and article | nouns. The preposition fits several roles, the noun one: whoever
# has not met it must guess. Read by adjuncts.py alone, for semantic roles.
ADJUNCTS = """
ARGM-LOC | in     | bed prison court *jail *hospital *exile
ARGM-LOC | in the | barn stable cabin *cave *tunnel *corridor
ARGM-LOC | in a   | tent barn cabin *cave *tunnel *hut
ARGM-LOC | at     | sea school work *camp *church
ARGM-LOC | at the | station airport market *stadium *zoo *checkpoint
ARGM-LOC | by the | river lake gate *fountain *fireplace *roadside
ARGM-TMP | in     | winter summer March *autumn *July *springtime
ARGM-TMP | in the | morning evening night *afternoon *autumn
ARGM-TMP | in a   | week month day *fortnight *moment *flash
ARGM-TMP | at     | dawn noon night *dusk *midnight *sunset
ARGM-TMP | by     | noon dawn nightfall *dusk *midnight *sundown
ARGM-TMP | by the | evening weekend summer *afternoon *autumn
ARGM-TMP | for    | hours weeks years *ages *decades *centuries
ARGM-TMP | for a  | week month day *fortnight *moment *decade
ARGM-MNR | in     | silence secret haste *despair *panic *disguise
ARGM-MNR | in a   | hurry rage whisper *frenzy *panic *temper
ARGM-MNR | at     | random leisure *length *speed
ARGM-MNR | by     | mistake accident hand *chance *force *stealth
ARGM-MNR | with   | care pride ease *caution *skill *enthusiasm
ARGM-MNR | with a | smile grin shrug *frown *sigh *sneer
ARGM-PRP | for    | fun money fame *pleasure *profit *revenge
ARGM-PRP | for a  | reward fee prize *bribe *ransom *salary
ARGM-COM | with   | friends neighbours relatives *classmates *colleagues *guests
ARGM-COM | with a | friend neighbour partner *colleague *companion *stranger
"""
