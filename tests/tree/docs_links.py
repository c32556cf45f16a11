"""Checks that the documentation's links lead somewhere. Run as: docs_links.py SOURCE_DIR.

Fails when, in a Markdown file of the project,
- a relative link names no file, or an anchor that its file does not have,
- a word in backticks that looks like a path of the project names no file or folder,
- a file under docs/ is not linked from docs/README.md, the index (docs/api is the source of the reference),
- docs/architecture.md does not list the rooms of a folder with what they may include.
"""

import re
import sys
import unicodedata
from pathlib import Path

import include_graph

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.M | re.S)
INLINE_CODE = re.compile(r"`([^`\n]+)`")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$", re.M)

# A word in backticks is held to name a file when it starts with one of these folders, or ends with
# one of these suffixes and has a folder in it.
FOLDERS = ["core", "distance", "trajectories", "robot_models", "planner", "config", "exports", "apps",
           "tests", "bench", "examples", "cmake", "docs", ".ci"]
PATH = re.compile(r"^\.?[\w.\-*]+(/[\w.\-*]+)*/?$")
SUFFIXES = {".h", ".cpp", ".py", ".md", ".cmake", ".yaml", ".urdf", ".srdf"}


def project_files(root):
    skipped = {"build", ".git", ".cache"}
    return sorted(p for p in root.rglob("*.md")
                  if not skipped & set(p.relative_to(root).parts[:-1]))


def anchors_of(text):
    """The anchors of a file's headings, as GitHub makes them."""
    found = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        kept = "".join(c for c in plain if c in " -_" or unicodedata.category(c)[0] in "LN")
        anchor = kept.replace(" ", "-")
        number = 1
        while anchor in found:
            anchor, number = f"{kept.replace(' ', '-')}-{number}", number + 1
        found.add(anchor)
    return found


def links_of(text):
    return LINK.findall(INLINE_CODE.sub("", FENCE.sub("", text)))


def broken_links(root, path, text):
    for link in links_of(text):
        if re.match(r"[a-z]+:", link):
            continue  # of the web
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists():
            yield f"the link {link} leads nowhere"
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target.read_text()):
            yield f"the link {link}: {target.relative_to(root)} has no such heading"


def looks_like_path(word):
    if not PATH.match(word) or "/" not in word:
        return False
    return word.split("/")[0] in FOLDERS or Path(word).suffix in SUFFIXES


def exists(root, path, word):
    """A path is meant from the project's root, from the Markdown file, from a folder of the library
    (`mesh/bvh.h`), or as it is included."""
    places = [root, path.parent, root / "tests", *(root / folder for folder in FOLDERS)]
    if word.startswith("allclear/"):
        word = word.removeprefix("allclear/")
        if (root / "cmake" / f"{word}.in").exists():
            return True  # made when CMake configures
    # `foo/NAME.h` stands for any name, and `foo/bar` for foo/bar.h with foo/bar.cpp.
    pattern = re.sub(r"\b[A-Z][A-Z_]+\b", "*", word.rstrip("/"))
    for place in places:
        if any(place.glob(pattern)) or any(place.glob(pattern + ".h")) or any(place.glob(pattern + ".cpp")):
            return True
    return False


def broken_paths(root, path, text):
    for word in INLINE_CODE.findall(FENCE.sub("", text)):
        if looks_like_path(word) and not exists(root, path, word):
            yield f"`{word}` names no file"


def missing_from_index(root, files):
    index = root / "docs" / "README.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in links_of(index.read_text())}
    for path in files:
        relative = path.relative_to(root)
        if relative.parts[0] == "docs" and relative.parts[1] != "api" and path not in linked | {index}:
            yield f"docs/README.md: {relative} is not linked"


def wrong_rooms(root):
    """The tables of docs/architecture.md against the lists that `include_graph` holds includes to."""
    text = (root / "docs" / "architecture.md").read_text()
    sections = dict(re.findall(r"^### `(\w+)/`[^\n]*\n(.*?)(?=^##)", text, re.M | re.S))
    for folder, rooms in include_graph.ROOMS.items():
        rows = re.findall(r"^\| `([\w/]+)` \|.*\| (.+?) \|$", sections.get(folder, ""), re.M)
        told = {room: set(re.findall(r"`([\w/]+)`", uses)) for room, uses in rows}
        for room in sorted(set(rooms) | set(told)):
            if room not in rooms or room not in told:
                yield f"docs/architecture.md: the room {folder}/{room} is {'unknown' if room in told else 'missing'}"
            elif told[room] != set(rooms[room]):
                yield (f"docs/architecture.md: {folder}/{room} may include "
                       f"{', '.join(sorted(rooms[room])) or 'no other room'}")


def main():
    root = Path(sys.argv[1]).resolve()
    files = project_files(root)
    assert len(files) >= 10, "found almost no Markdown: is this the source folder?"
    errors = []
    for path in files:
        text = path.read_text()
        for error in [*broken_links(root, path, text), *broken_paths(root, path, text)]:
            errors.append(f"{path.relative_to(root)}: {error}")
    errors += [*missing_from_index(root, set(files)), *wrong_rooms(root)]
    if errors:
        sys.exit("Documentation:\n  " + "\n  ".join(errors))
    print(f"documentation: links and paths of {len(files)} files lead somewhere")


if __name__ == "__main__":
    main()
