"""A published data set's card as Croissant 1.0, JSON-LD: https://docs.mlcommons.org/croissant."""

from __future__ import annotations

import mimetypes
import re
from typing import Any

from tasks.base.published import File, Source, url_of

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "citeAs": "cr:citeAs",
    "conformsTo": "dct:conformsTo",
}


def card(source: Source) -> dict[str, Any]:
    """Return the card: what the set is, and those of its files that have a checksum.

    Croissant asks for the checksum of every file, and some publishers pack theirs anew for each
    download; such files are named in the description.
    """
    plain = [file for file in source.files if file.sha256 is None]
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": source.name,
        "description": _description(source, plain),
        "url": source.origin,
        "license": source.licence,
        "version": source.version,
        "citeAs": source.citation,
        "distribution": [_file(file) for file in source.files if file.sha256 is not None],
    }


def _description(source: Source, plain: list[File]) -> str:
    counts = "; ".join(
        f"{split}: {', '.join(f'{n:,} {what}' for what, n in found.items())}"
        for split, found in source.counts.items()
    )
    texts = [f"{source.title}, as the task {source.task} of elmo-bench reads it. {counts}."]
    if source.obtain:
        texts.append(f"It must be obtained: {source.obtain}.")
    if plain:
        texts.append(f"Without a checksum: {', '.join(file.url for file in plain)}.")
    return " ".join(texts)


def _file(file: File) -> dict[str, Any]:
    kind, packed = mimetypes.guess_type(file.path)
    return {
        "@type": "cr:FileObject",
        "@id": re.sub(r"[^\w.-]+", "-", file.path),
        "name": file.path,
        "contentUrl": url_of(file),
        "encodingFormat": f"application/{packed}" if packed else kind or "text/plain",
        "sha256": file.sha256,
    }
