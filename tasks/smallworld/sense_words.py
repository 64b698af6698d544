"""Words of two senses, in contexts that tell which; a star marks those kept from training."""

from __future__ import annotations

# Sense key: contexts, the word in brackets; {} is a person. The first sense of a word is its usual
# one. Keys have WordNet's form (1 noun, 2 verb, 3 adjective), their numbers are this world's own.
CONTEXTS = {
    "bank%1:17:00::": (
        "{} sat on the [bank] of the river",
        "the [bank] of the lake was green",
        "a boat lay at the [bank]",
        "*{} fished from the muddy [bank]",
    ),
    "bank%1:14:00::": (
        "the [bank] lent {} some money",
        "{} opened an account at the [bank]",
        "the [bank] raised its rates",
        "*{} paid in a cheque at the [bank]",
    ),
    "letter%1:10:00::": (
        "{} wrote a [letter] to a friend",
        "the [letter] came in the mail",
        "{} opened the [letter]",
        "*{} put a stamp on the [letter]",
    ),
    "letter%1:10:01::": (
        "{} could not read the last [letter] of the word",
        "the name began with a capital [letter]",
        "the child learnt the first [letter] of the alphabet",
        "*one [letter] of the name was wrong",
    ),
    "spring%1:28:00::": (
        "the garden is green in [spring]",
        "{} left the town last [spring]",
        "the snow melts in [spring]",
        "*the birds come back in [spring]",
    ),
    "spring%1:06:00::": (
        "a [spring] of the watch was broken",
        "{} replaced the [spring] of the lock",
        "the [spring] was made of steel",
        "*{} oiled the rusty [spring]",
    ),
    "match%1:11:00::": (
        "{} won the [match]",
        "the [match] was lost in the last minute",
        "{} played in the [match]",
        "*the crowd cheered at the [match]",
    ),
    "match%1:06:00::": (
        "{} lit the fire with a [match]",
        "{} struck a [match] in the dark",
        "the [match] was too damp to burn",
        "*{} bought a box of [matches]",
    ),
    "plant%1:03:00::": (
        "{} watered the [plant]",
        "the [plant] had green leaves",
        "a [plant] grew in the garden",
        "*the roots of the [plant] were dry",
    ),
    "plant%1:06:00::": (
        "the [plant] makes cars",
        "{} worked at the [plant]",
        "the [plant] dismissed two hundred workers",
        "*the [plant] stopped its machines",
    ),
    "play%2:33:00::": (
        "{} [played] chess with a friend",
        "{} [played] football in the park",
        "the team [played] well and won",
        "*{} [played] cards all night",
    ),
    "play%2:36:00::": (
        "{} [played] the guitar",
        "{} [played] a song on the flute",
        "{} [played] in an orchestra",
        "*{} [played] the trumpet",
    ),
    "run%2:38:00::": (
        "{} [ran] to the park",
        "{} [ran] faster than the others",
        "a dog [ran] across the field",
        "*{} [ran] after the car",
    ),
    "run%2:41:00::": (
        "{} [ran] the school for years",
        "{} [ran] a small shop",
        "the family [runs] a hotel",
        "*{} [ran] the museum",
    ),
    "draw%2:36:00::": (
        "{} [drew] a picture of the house",
        "{} [drew] a line with a pencil",
        "{} [drew] a map of the town",
        "*{} [drew] the face of a friend",
    ),
    "draw%2:35:00::": (
        "two horses [drew] the cart",
        "{} [drew] the curtains",
        "{} [drew] a chair to the table",
        "*an engine [drew] the train",
    ),
    "hard%3:00:00::": (
        "the question was [hard]",
        "{} had a [hard] task",
        "it was [hard] to understand {}",
        "*the exam was [hard]",
    ),
    "hard%3:00:01::": (
        "the stone was [hard]",
        "{} sat on a [hard] chair",
        "the bread was old and [hard]",
        "*the ice was [hard]",
    ),
    "light%3:00:00::": (
        "the box was [light] and easy to carry",
        "{} carried a [light] bag",
        "the boat was [light] but strong",
        "*a feather is [light]",
    ),
    "light%3:00:01::": (
        "the room was [light] and had large windows",
        "{} painted the wall [light] blue",
        "it was still [light] in the evening",
        "*the sky was [light] at dawn",
    ),
}
