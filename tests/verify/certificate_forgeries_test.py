#!/usr/bin/env python3
"""Forges certificates, and expects `allclear certify --verify` to refuse them.

usage: certificate_forgeries_test.py COMMAND SOURCE_FOLDER

Every field of a real certificate, of any depth, is changed: raised, lowered, dropped, repeated,
reordered, made NaN or infinite, or of another type. Of fields alike (the cells of pairs, say) the
first and the middle one stand for all.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS = 60
# Changes that claim nothing else: another order of the pairs, directions that still prove their
# cell, and fewer files that are said to be the curve;
# or less than there was: a wider bracket of a distance, fewer of the pairs that come nearest (all
# others still have the slack of the last one), another instant at which the wider bracket is met.
HARMLESS = re.compile(r"^pairs reversed$|^pairs\.\d+\.cells\.\d+\.[345] (raised|lowered)$"
                      r"|^sent(\.csv)? (null|dropped)$"
                      r"|^minimum_clearance\.(0 (lowered|null)|1 (raised|raised much|huge))$"
                      r"|^closest_pairs shorter$|^closest_pairs\.\d+\.(distance\.0|t) lowered$")


CLAIM = {"Also proven": "no person is ever touched"}


class Raw:
    """Words that JSON's own writer would not write."""

    def __init__(self, text):
        self.text = text


def dump(value):
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {dump(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(dump(v) for v in value) + "]"
    return json.dumps(value)


def fields(value, path=()):
    """The paths of all values inside."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) \
        if isinstance(value, list) else ()
    for key, inner in items:
        yield from fields(inner, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def changed(value, path, new):
    """A copy with another value there; None: without it."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    inner = changed(value[path[0]], path[1:], new)
    if inner is None:
        del copy[path[0]]
    else:
        copy[path[0]] = inner
    return copy


def changes(value):
    null = Raw("null")
    if isinstance(value, bool):
        return {"the other": not value, "null": null, "a number": 1}
    if isinstance(value, (int, float)):
        by = 0.01 * abs(value) + 1e-3
        return {"raised": value + by, "lowered": value - by, "raised much": value + 1e6,
                "nan": Raw("NaN"), "null": null, "infinite": Raw("1e400"), "huge": 1e308,
                "a text": str(value)}
    if isinstance(value, str):
        return {"another": value + "x", "empty": "", "null": null, "a number": 1}
    out = {"null": null, "a text": "x"}
    if isinstance(value, list):
        out["longer"] = value + [value[-1] if value else "x"]
        if value:
            out["empty"], out["shorter"] = [], value[:-1]
        if value != value[::-1]:
            out["reversed"] = value[::-1]
    return out


class Checker:
    def __init__(self, command, folder):
        self.command, self.folder = command, folder
        self.count, self.failures, self.harmless = 0, [], []

    def check(self, name, text, refused=True, task="task.yaml"):
        path = self.folder / "forged.json"
        path.write_text(text)
        self.count += 1
        try:
            run = subprocess.run([self.command, "certify", task, "trajectory.json", "--verify",
                                  str(path)], capture_output=True, timeout=SECONDS, cwd=self.folder)
        except subprocess.TimeoutExpired:
            self.failures.append(f"{name}: takes longer than {SECONDS} s")
            return
        out = (run.stdout + run.stderr).decode(errors="replace")
        if run.returncode < 0 or run.returncode > 10:
            self.failures.append(f"{name}: ends by {run.returncode}: {out[:200]}")
        elif re.search(r"[\x00-\x09\x0b-\x1f]", out):
            self.failures.append(f"{name}: prints a character that is none")
        elif refused != (run.returncode != 0):
            told = f"{name}: exit {run.returncode}: {out[:160]!r}"
            (self.harmless if HARMLESS.search(name) else self.failures).append(told)


def forge_fields(c, certificate):
    seen = {}
    for path in fields(certificate):
        kind = ".".join("*" if isinstance(k, int) else k for k in path)
        seen.setdefault(kind, []).append(path)
    for kind, paths in seen.items():
        for path in {paths[0]: 0, paths[len(paths) // 2]: 0}:
            value = at(certificate, path)
            name = ".".join(map(str, path))
            if isinstance(value, dict):
                c.check(f"{name} with a claim more", dump(changed(certificate, path, {**value, **CLAIM})))
            for change, new in changes(value).items():
                if new == value and type(new) is type(value):
                    continue
                if value is None and change == "null":
                    continue
                c.check(f"{name} {change}", dump(changed(certificate, path, new)))
            c.check(f"{name} dropped", dump(changed(certificate, path, None)))


def forge_files(c, certificate, text):
    c.check("as it is", text, refused=False)
    c.check("written anew", dump(certificate), refused=False)
    for bad in ("", "{}", "[]", "null", text[:len(text) // 2], text + text, "x" * 1000000,
                "[" * 1000000, text.replace("{", "{\"clear\": true, ", 1) + "}", "\x00" * 100):
        c.check(f"'{bad[:20]!r}' in its place", bad)
    escape = "\\u001b[2JClear at every instant"
    c.check("escapes in the message", dump(changed(certificate, ("message",), Raw(f'"{escape}"'))))
    c.check("a claim more", dump({**certificate, **CLAIM}))
    c.check("another version", dump(changed(certificate, ("tool",), "allclear 0.1.12")), refused=False)
    for tool in ("allclear", "allclear ", "allclear 1.0 and proven safe", "allclear v1", "another 1.0", "allclear 1.0\n"):
        c.check(f"made by '{tool}'", dump(changed(certificate, ("tool",), tool)))
    c.check("a fault more", dump(changed(certificate, ("faults",), ["x"])))
    # Another robot, another task: one number, or one word, of each file.
    for name, old, new in (("seven.srdf", "Adjacent", "Never"), ("seven.urdf", "", " "),
                           ("task.yaml", "\n", "\n# a word\n")):
        file = c.folder / name
        kept = file.read_text()
        file.write_text(kept.replace(old, new, 1) if old else kept + new)
        c.check(f"{name} changed", text)
        file.write_text(kept)
    trajectory = c.folder / "trajectory.json"
    kept = trajectory.read_text()
    rows = json.loads(kept)
    rows["times"] = [1.01 * t for t in rows["times"]]
    trajectory.write_text(json.dumps(rows))
    c.check("another trajectory", text)
    trajectory.write_text(kept)
    # The end of one file moved to the beginning of another: the hash must tell them apart.
    mesh = sorted((c.folder / "meshes").iterdir()) if (c.folder / "meshes").is_dir() else []
    if len(mesh) > 1:
        first, second = mesh[0].read_bytes(), mesh[1].read_bytes()
        mesh[0].write_bytes(first[:-1])
        mesh[1].write_bytes(first[-1:] + second)
        c.check("a byte moved from one mesh to the next", text)
        mesh[0].write_bytes(first)
        mesh[1].write_bytes(second)
    c.check("as it was", text, refused=False)


def main():
    command, source = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "shelf"
        shutil.copytree(source / "examples" / "shelf", folder)
        subprocess.run([command, "plan", "task.yaml", "--quiet", "-o", "."], check=True, cwd=folder,
                       stdout=subprocess.DEVNULL)
        text = (folder / "certificate.json").read_text()
        c = Checker(command, folder)
        certificate = json.loads(text)
        forge_files(c, certificate, text)
        forge_fields(c, certificate)
        for failure in c.failures[:150]:
            print("WRONG", failure)
        print(f"{c.count} forgeries, {len(c.failures)} wrong answers, {len(c.harmless)} harmless")
        return 1 if c.failures else 0


if __name__ == "__main__":
    sys.exit(main())
