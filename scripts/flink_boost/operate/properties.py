"""Java's properties as XML, by which our programs in a JVM are asked and answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE properties SYSTEM "http://java.sun.com/dtd/properties.dtd">\n'
)


def write_properties(file: Path, values: Mapping[str, str]) -> None:
    """Writes them as ``Properties.loadFromXML`` reads them."""
    root = ET.Element("properties")
    for key, value in values.items():
        ET.SubElement(root, "entry", key=key).text = value
    file.write_text(_HEAD + ET.tostring(root, encoding="unicode"), encoding="utf-8")


def read_properties(content: bytes) -> dict[str, str]:
    """Reads what ``Properties.storeToXML`` wrote.

    Raises ``ParseError`` or ``KeyError`` for what is not that.
    """
    root = ET.fromstring(content)  # noqa: S314 - written by our own program, on its Java
    return {entry.attrib["key"]: entry.text or "" for entry in root.iter("entry")}
