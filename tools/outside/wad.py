"""Cut a Doom WAD file down to what one level needs.

Lumps of the level, its textures and flats, the sprites of its things and of the player, fonts and
status bar stay. Every other lump keeps its name and place in the directory and becomes a stub, so
that the engine finds everything that it counts when it starts.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass

MAP_LUMPS = "THINGS LINEDEFS SIDEDEFS VERTEXES SEGS SSECTORS NODES SECTORS REJECT BLOCKMAP".split()
#: Lumps that are always kept, by how their names begin.
KEPT = ("PLAYPAL", "COLORMAP", "TEXTURE", "PNAMES", "GENMIDI", "STCFN", "ST", "WIMAP")
#: Sprites of the player, weapons, shots, blood and what monsters drop.
SPRITES = "PLAY PUNG PISG PISF SHTG SHTF PUFF BLUD CLIP SHOT MISL BAL1 TFOG IFOG".split()
#: Sprites of things by their type, as far as first levels have them.
THINGS = {
    3004: "POSS", 9: "SPOS", 3001: "TROO", 3002: "SARG", 58: "SARG", 2001: "SHOT", 2002: "MGUN",
    2007: "CLIP", 2008: "SHEL", 2010: "ROCK", 2048: "AMMO", 2049: "SBOX", 2011: "STIM",
    2012: "MEDI", 2014: "BON1", 2015: "BON2", 2018: "ARM1", 2019: "ARM2", 2035: "BAR1",
    2028: "COLU", 48: "ELEC", 34: "CAND", 35: "CBRA", 10: "PLAY", 12: "PLAY", 15: "PLAY",
    24: "POL5", 30: "COL1", 31: "COL2", 32: "COL3", 33: "COL4", 2046: "BROK", 2003: "LAUN",
    2005: "CSAW", 2023: "PSTR", 2045: "PVIS", 5: "BKEY", 6: "YKEY", 13: "RKEY", 43: "TRE1",
    17: "CELP", 18: "POSS", 20: "TROO", 21: "SARG", 26: "POL6", 47: "SMIT", 54: "TRE2", 60: "GOR2",
    2004: "PLAS", 2013: "SOUL",
}  # fmt: skip
#: A picture of one empty column: width, height, offsets, the column's place, its end.
EMPTY_PICTURE = struct.pack("<hhhhiB", 1, 1, 0, 0, 12, 255)
EMPTY_FLAT = bytes(4096)


@dataclass(frozen=True, slots=True)
class Lump:
    """A named piece of data."""

    name: str
    data: bytes


def read(wad: bytes) -> list[Lump]:
    """Return the lumps of a WAD file."""
    count, directory = struct.unpack_from("<ii", wad, 4)
    lumps = []
    for i in range(count):
        start, length, name = struct.unpack_from("<ii8s", wad, directory + 16 * i)
        lumps.append(Lump(_text(name), wad[start : start + length]))
    return lumps


def write(lumps: Iterable[Lump]) -> bytes:
    """Return a WAD file; equal data is stored once."""
    data, places, directory = bytearray(b"IWAD" + bytes(8)), dict[bytes, int](), bytearray()
    for lump in lumps:
        if lump.data not in places:
            data += bytes(-len(data) % 4)
            places[lump.data] = len(data)
            data += lump.data
        entry = (places[lump.data], len(lump.data), lump.name.encode().ljust(8, b"\0"))
        directory += struct.pack("<ii8s", *entry)
    data += bytes(-len(data) % 4)
    struct.pack_into("<ii", data, 4, len(directory) // 16, len(data))
    return bytes(data + directory)


def cut(lumps: list[Lump], level: str) -> list[Lump]:
    """Return the lumps with stubs for all that `level` does not need."""
    names = [lump.name for lump in lumps]
    at = names.index(level)
    parts = {lump.name: lump.data for lump in lumps[at + 1 : at + 11]}
    wanted = _patches(lumps, _textures(parts)) | _flats(parts)
    types = {struct.unpack_from("<h", parts["THINGS"], i + 6)[0]
             for i in range(0, len(parts["THINGS"]), 10)}  # fmt: skip
    sprites = {*SPRITES, *(THINGS[kind] for kind in types if kind in THINGS)}
    section, result = "", []
    for i, lump in enumerate(lumps):
        if lump.name.endswith("_START"):
            section = lump.name[0]
        elif lump.name.endswith("_END"):
            section = ""
        keep = at <= i <= at + 10 or lump.name in wanted
        keep |= section == "S" and lump.name[:4] in sprites
        keep |= not section and lump.name.startswith(KEPT)
        result.append(lump if keep or not lump.data else Lump(lump.name, _stub(lump, section)))
    return result


def _stub(lump: Lump, section: str) -> bytes:
    if section == "F":
        return EMPTY_FLAT
    return EMPTY_PICTURE if section or lump.name not in MAP_LUMPS else b""


def _text(name: bytes) -> str:
    return name.split(b"\0")[0].decode("ascii").upper()


def _textures(parts: dict[str, bytes]) -> set[str]:
    """Return the textures of a level's walls; a switch has two. The sky is one."""
    sides, names = parts["SIDEDEFS"], {"SKY1"}
    for i in range(0, len(sides), 30):
        names |= {_text(name) for name in struct.unpack_from("<8s8s8s", sides, i + 4)}
    swapped = {"SW1": "SW2", "SW2": "SW1"}
    return names | {swapped[n[:3]] + n[3:] for n in names if n[:3] in swapped}


def _flats(parts: dict[str, bytes]) -> set[str]:
    """Return the flats of a level; a name that ends in a digit may be animated."""
    sectors = parts["SECTORS"]
    names = set()
    for i in range(0, len(sectors), 26):
        names |= {_text(name) for name in struct.unpack_from("<8s8s", sectors, i + 4)}
    return names | {n[:-1] + d for n in names if n[-1:].isdigit() for d in "1234"}


def _patches(lumps: list[Lump], textures: set[str]) -> set[str]:
    """Return the patches that textures are made of."""
    named = {lump.name: lump.data for lump in lumps}
    table = named["PNAMES"]
    patches = [
        _text(table[4 + 8 * i : 12 + 8 * i]) for i in range(struct.unpack("<i", table[:4])[0])
    ]
    names = set()
    for data in (data for name, data in named.items() if name in ("TEXTURE1", "TEXTURE2")):
        for place in struct.unpack_from(f"<{struct.unpack('<i', data[:4])[0]}i", data, 4):
            if _text(data[place : place + 8]) in textures:
                for i in range(struct.unpack_from("<h", data, place + 20)[0]):
                    number = struct.unpack_from("<h", data, place + 22 + 10 * i + 4)[0]
                    names.add(patches[number])
    return names
