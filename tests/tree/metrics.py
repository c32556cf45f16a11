"""Measures how readable the library's sources are, and fails when a figure gets worse.

Run as: metrics.py [--check LIMITS.json] [--list] [--source DIR] [PATH...]. Without paths: the whole
library. `--list` names the places behind each figure. With `--check`, every figure is held against
the limits of tests/tree/metrics.json (which name them as the table below does).

What counts. A comment line holds nothing but a comment; a code line holds anything else that is not
blank. A function runs from the first line of its signature to its closing brace; lambdas count as
lines of the function around them. A decimal tolerance is a literal with an exponent e-NN; it is named
when its line defines a constant (kName), explained when there is a comment on its line or directly
above the statement it stands in.
"""

import argparse
import json
import re
import sys
from pathlib import Path

FOLDERS = ["core", "distance", "trajectories", "robot_models", "planner", "config", "exports", "apps",
           "verify"]
INSTALLED_FOLDERS = FOLDERS[:7]
LONG_SOURCE = 150
LONG_FUNCTION = 15
TOLERANCE = re.compile(r"(?<![\w.])\d+(\.\d*)?[eE]-\d+")
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.M)


def blanked(text):
    """The text with comments and literals blanked, and for each line whether it has a comment."""
    out, comment_lines, i, line = [], set(), 0, 0
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(\w*)\((?:.*?)\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
    for m in pattern.finditer(text):
        # A quote inside a number separates digits.
        if m[0][0] == "'" and m.start() and text[m.start() - 1].isalnum():
            continue
        out.append(text[i:m.start()])
        line = text.count("\n", 0, m.start())
        if m[0].startswith(("//", "/*")):
            comment_lines.update(range(line, line + m[0].count("\n") + 1))
            out.append(re.sub(r"[^\n]", " ", m[0]))
        else:
            out.append('""' + re.sub(r"[^\n]", " ", m[0][2:]) if len(m[0]) > 1 else m[0])
        i = m.end()
    out.append(text[i:])
    return "".join(out), comment_lines


def functions(code):
    """(first line, last line, name) of every function body in code without comments."""
    found, stack, head_start = [], [], 0
    depth_of_function = None
    i, n = 0, len(code)
    while i < n:
        c = code[i]
        if c == "#" and code[code.rfind("\n", 0, i) + 1:i].strip() == "":
            while True:  # a preprocessor line, with its continuations
                end = code.find("\n", i)
                end = n if end < 0 else end
                if code[i:end].rstrip().endswith("\\"):
                    i = end + 1
                    continue
                break
            i = end
            if depth_of_function is None:
                head_start = i
        elif c == "{":
            head = code[head_start:i]
            kind = "block"
            if depth_of_function is None:
                bare = re.sub(r"template\s*<[^{]*?>\s*(?=\w)", "", head).strip()
                in_init_list = re.search(r"\)\s*(?:noexcept\s*)?:(?!:).*[\w>]\s*$", head, re.S)
                closes = re.search(r"\)\s*(?:const|noexcept|override|final|&|\s|->[\w:<>,&*\s]+)*$", head)
                if re.match(r"(inline\s+)?namespace\b|extern\b", bare):
                    kind = "scope"
                elif re.search(r"\b(class|struct|union|enum)\b[^()=]*$", bare):
                    kind = "scope"
                elif in_init_list and not closes:
                    kind = "initialiser"
                elif closes and "(" in head and not re.search(r"=\s*$", bare):
                    kind = "function"
                elif re.search(r"\)\s*(?:noexcept\s*)?:(?!:)", head):
                    kind = "function"
                else:
                    kind = "initialiser"
            if kind == "function":
                depth_of_function = len(stack)
                lead = len(head) - len(head.lstrip())
                name = re.search(r"([\w:~]+|operator\S+)\s*\(", head)
                start = code.count("\n", 0, head_start + lead)
                stack.append((kind, start, name[1] if name else "?"))
            else:
                stack.append((kind, 0, ""))
            if kind in ("scope", "function"):
                head_start = i + 1
        elif c == "}":
            if stack:
                kind, start, name = stack.pop()
                if kind == "function":
                    found.append((start, code.count("\n", 0, i), name))
                    depth_of_function = None
                if kind in ("scope", "function"):
                    head_start = i + 1
        elif c == ";" and depth_of_function is None:
            if not any(k == "initialiser" for k, _, _ in stack):
                head_start = i + 1
        elif c == ":" and depth_of_function is None and re.search(
                r"(public|private|protected)\s*$", code[head_start:i]):
            head_start = i + 1
        i += 1
    return found


class File:
    def __init__(self, root, path):
        self.name = path.relative_to(root).as_posix()
        self.text = path.read_text()
        self.lines = self.text.split("\n")
        self.code, self.comments = blanked(self.text)
        self.code_lines = self.code.split("\n")
        self.is_header = self.name.endswith(".h")
        self.functions = functions(self.code)

    def is_comment_line(self, i):
        return 0 <= i < len(self.lines) and i in self.comments and not self.code_lines[i].strip()

    def comment_count(self):
        return sum(self.is_comment_line(i) for i in range(len(self.lines)))

    def code_count(self):
        return sum(bool(line.strip()) for line in self.code_lines)

    def opens_with_purpose(self):
        """A comment of two lines and more before the first code besides includes and namespaces."""
        comment = 0
        for i, line in enumerate(self.code_lines):
            if self.is_comment_line(i):
                comment += 1
                if comment >= 2:
                    return True
            elif line.strip() and not re.match(
                    r"\s*(#|namespace\b|using\b|}|{)", line):
                return False
        return False

    def unnamed_tolerances(self):
        found = []
        for i, line in enumerate(self.code_lines):
            if not TOLERANCE.search(line):
                continue
            first = i  # of the statement
            while first > 0 and self.code_lines[first - 1].strip() and not re.search(
                    r"[;{}:]\s*$", self.code_lines[first - 1]) and not self.is_comment_line(first - 1):
                first -= 1
            statement = " ".join(self.code_lines[first:i + 1])
            named = re.search(r"\bk[A-Z]\w*(\[\w*\])*\s*(=|{)", statement)
            explained = any(j in self.comments for j in range(first, i + 1)) or self.is_comment_line(first - 1)
            if not (named or explained):
                found.append(f"{self.name}:{i + 1}: {self.lines[i].strip()}")
        return found


def closure(name, includes):
    reached, queue = set(), [name]
    while queue:
        for target in includes.get(queue.pop(), []):
            if target not in reached:
                reached.add(target)
                queue.append(target)
    return reached


def measure(root, paths):
    def of(pattern_root):
        return sorted(p for p in pattern_root.rglob("*") if p.suffix in (".h", ".cpp"))

    everything = [File(root, p) for folder in FOLDERS for p in of(root / folder)]
    files = [f for f in everything if not paths or any(f.name.startswith(p) for p in paths)]
    includes = {f.name: [i.removeprefix("allclear/") for i in INCLUDE.findall(f.text)] for f in everything}
    tested = set()
    for p in of(root / "tests"):
        tested.update(i.removeprefix("allclear/") for i in INCLUDE.findall(p.read_text()))

    sources = [f for f in files if not f.is_header]
    headers = [f for f in files if f.is_header]
    installed = (root / "cmake/AllclearHeaders.cmake").read_text()
    not_installed = re.search(r"ALLCLEAR_INTERNAL_HEADERS ([^)]*)", installed)[1].split()
    public = [f for f in headers if f.name.count("/") == 1
              and f.name.split("/")[0] in INSTALLED_FOLDERS and f.name not in not_installed]
    all_functions = [(f, s, e, n) for f in files for s, e, n in f.functions]
    longer = [(f, s, e, n) for f, s, e, n in all_functions if e - s + 1 >= LONG_FUNCTION]
    silent = [x for x in longer if not any(i in x[0].comments for i in range(x[1], x[2] + 1))]
    long_sources = [f for f in sources if len(f.lines) - 1 >= LONG_SOURCE]
    closures = sorted(((len(closure(f.name, includes)), f.name) for f in public), reverse=True)
    places = {
        "installed_headers": [f.name for f in public],
        "longest_include_closure": [f"{n} {name}" for n, name in closures[:5]],
        "sources_without_purpose": [f.name for f in long_sources if not f.opens_with_purpose()],
        "unnamed_tolerances": [t for f in files for t in f.unnamed_tolerances()],
        "headers_in_no_test": [f.name for f in headers
                               if f.name not in tested and not f.name.startswith("apps/")],
        # The checker of proofs is one file on purpose: who reads it reads all that he has to trust.
        "files_over_400_lines": [f"{len(f.lines) - 1} {f.name}" for f in files
                                 if len(f.lines) - 1 > (600 if f.name.startswith("verify/") else 400)],
        "functions_over_60_lines": [f"{e - s + 1} {f.name}:{s + 1} {n}" for f, s, e, n in all_functions
                                    if e - s + 1 > 60],
        "functions_without_comment": [f"{f.name}:{s + 1} {n}" for f, s, e, n in silent],
    }
    low = sorted((f.comment_count() / max(1, f.code_count()), f.name) for f in sources)
    places["comments_per_code_in_sources"] = [f"{r:.2f} {n}" for r, n in low if r < 0.12]
    figures = {key: len(value) for key, value in places.items()}
    figures["longest_include_closure"] = closures[0][0] if closures else 0
    code = sum(f.code_count() for f in sources)
    figures["comments_per_code_in_sources"] = round(
        sum(f.comment_count() for f in sources) / max(1, code), 3)
    places["share_of_functions_with_comment"] = []
    figures["share_of_functions_with_comment"] = round(
        1.0 - len(silent) / max(1, len(longer)), 3)
    del figures["functions_without_comment"]
    return figures, places, {"files": len(files), "functions": len(all_functions),
                             "functions >= 15 lines": len(longer), "sources >= 150 lines": len(long_sources)}


AT_LEAST = {"comments_per_code_in_sources", "share_of_functions_with_comment"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--source", default=".", type=Path)
    parser.add_argument("--check", type=Path)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    figures, places, counts = measure(args.source, args.paths)
    assert counts["files"] > 0, "no sources found"
    for key, value in counts.items():
        print(f"{key:34} {value}")
    for key, value in figures.items():
        print(f"{key:34} {value}")
    if args.list:
        for key, value in places.items():
            print(f"\n{key}:")
            for place in value:
                print(f"  {place}")
    if args.check:
        limits = json.loads(args.check.read_text())
        assert set(limits) == set(figures), set(limits) ^ set(figures)
        worse = [f"{key} is {figures[key]}, the limit is {limit}" for key, limit in limits.items()
                 if (figures[key] < limit if key in AT_LEAST else figures[key] > limit)]
        for key in limits:
            if any(w.startswith(key) for w in worse):
                worse += [f"  {place}" for place in places[key][:20]]
        if worse:
            sys.exit("The tree got worse:\n" + "\n".join(worse))


if __name__ == "__main__":
    main()
