#!/usr/bin/env python3
"""Forges proofs, and expects allclear-verify to refuse what claims more than is so.

usage: forgeries_test.py COMMAND SOURCE_FOLDER VERIFIER..

Real proofs, made by the command from the examples, are changed word by word and line by line. With
several verifiers (builds by other compilers, or with sanitizers) all have to answer alike. None may
crash, take longer than some seconds, or print anything that moves a cursor.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from forging import ACCEPTED, REFUSED, WORDS, Checker, Text  # noqa: E402

NO_NUMBERS = ["nan", "inf", "-inf", "1e400", "1e301", "-1e301", "0x10", "1,5", "1e", "--1", "x"]


def set_word(k, word):
    def change(line):
        words = WORDS.findall(line)
        words[k] = word
        return " ".join(words)
    return change


def forge_words(c, proof):
    """Each word of a line of each kind: no number, dropped, repeated."""
    kinds = ["breaks", "joint", "track", "node", "body", "cover", "piece", "pair", "limit", "pose",
             "exempt"]
    indices = {"node": [1, 3], "cover": [1, 2], "pair": [1, 2], "limit": [1, 2], "pose": [1, 2],
               "exempt": [1, 2]}
    for kind in kinds:
        lines = proof.of(kind)
        if not lines:
            continue
        i = lines[len(lines) // 2]
        words = WORDS.findall(proof.lines[i])
        # Of long lines the first words and the last: the others are alike.
        places = [k for k in range(len(words)) if k < 20 or k >= len(words) - 2]
        for k in places:
            where = f"{kind}, word {k}"
            is_free = words[k].startswith('"')
            for bad in NO_NUMBERS if not is_free and k > 0 else []:
                if (kind, k) == ("piece", 14) or (kind, k) == ("node", 2):
                    continue
                c.check(f"{where} is {bad}", proof.with_word(i, k, bad), REFUSED)
            c.check(f"{where} dropped", proof.with_word(i, k), REFUSED)
            c.check(f"{where} repeated", proof.with_word(i, k, words[k], words[k]), REFUSED)
            if k in indices.get(kind, []):
                c.check(f"{where} is 123456789", proof.with_word(i, k, "123456789"), REFUSED)



def forge_lines(c, proof):
    for kind in ["allclear-proof", "breaks", "joint", "track", "node", "body", "cover", "piece",
                 "pair", "exempt"]:
        for i in proof.of(kind)[:1]:
            c.check(f"{kind} dropped", Text.close(proof.lines[:i] + proof.lines[i + 1:]), REFUSED)
            c.check(f"{kind} repeated", proof.replaced(i, proof.lines[i], proof.lines[i]), REFUSED)
            c.check(f"{kind} unknown", proof.with_word(i, 0, "claim"), REFUSED)
            if kind != "exempt":
                c.check(f"{kind} last", Text.close(proof.lines[:i] + proof.lines[i + 1:-1] +
                                                   [proof.lines[i], proof.lines[-1]]), REFUSED)
    lines = proof.lines
    whole = "\n".join(lines) + "\n"
    c.check("no end", "\n".join(lines[:-1]) + "\n", REFUSED)
    c.check("half of it", whole[:len(whole) // 2], REFUSED)
    for count in ["0", "-1", str(len(lines) - 1), str(len(lines) + 1), "1e9", "nan"]:
        c.check(f"end {count}", "\n".join(lines[:-1]) + f"\nend {count}\n", REFUSED)
    c.check("a line after the end", whole + "tool \"x\"\n", REFUSED)
    c.check("two proofs", whole + whole, REFUSED)
    c.check("an empty line", whole.replace("\n", "\n\n", 1), REFUSED)
    c.check("another format", whole.replace("allclear-proof 1", "allclear-proof 2"), REFUSED)
    c.check("carriage returns", whole.replace("\n", "\r\n"), ACCEPTED)
    c.check("no newline at the end", whole[:-1], ACCEPTED)
    c.check("blanks", whole.replace(" ", "\t  "), ACCEPTED)


def forge_pairs(c, proof):
    exempt = proof.of("exempt")[0]
    moving = [p for p in proof.of("pair") if len(proof.cells(p)) > 1]
    p = moving[0]
    cells = proof.cells(p)
    without = proof.lines[:p] + proof.lines[cells[-1] + 1:]
    covers = [proof.lines[i].split()[1] for i in proof.of("cover")]
    a, b = (covers[int(w)] for w in proof.lines[p].split()[1:3])
    names = [WORDS.findall(proof.lines[i])[1].strip('"') for i in proof.of("body")]
    c.check("a pair left out", Text.close(without), REFUSED, shows="neither apart nor exempt")
    c.check("a proven pair exempt instead",
            Text.close(without[:-1] + [f'exempt {a} {b} "why not"', "end"]).replace(
                "\nend\n", f"\nend {len(without) + 1}\n"), ACCEPTED,
            shows=f"not checked: {names[int(a)]} - {names[int(b)]}: why not")
    c.check("a proven pair exempt too", proof.replaced(exempt, proof.lines[exempt],
                                                      f'exempt {a} {b} "x"'), REFUSED)
    c.check("bodies of an exempt pair the other way round",
            proof.replaced(exempt, f'exempt {b} {a} "x"'), REFUSED)
    c.check("a body exempt from itself", proof.replaced(exempt, f'exempt {a} {a} "x"'), REFUSED)
    c.check("a pair the other way round", proof.replaced(
        p, " ".join(["pair"] + proof.lines[p].split()[2:0:-1] + [proof.lines[p].split()[3]])),
        REFUSED)
    c.check("no cells", Text.close(proof.lines[:cells[0]] + proof.lines[cells[-1] + 1:]), REFUSED)
    for k in (0, len(cells) // 2, len(cells) - 1):
        i = cells[k]
        c.check(f"cell {k} left out", Text.close(proof.lines[:i] + proof.lines[i + 1:]), REFUSED)
        c.check(f"cell {k} repeated", proof.replaced(i, proof.lines[i], proof.lines[i]), REFUSED)
        for cell in ["0 0 0", "1e300 1e300 1e300", "1e-300 0 0", "1e200 0 0", "t", "a 1 0 0 0 1 0",
                     "b", "x", "", "t 1 0 0", "t " * 98 + "1 0 0", "t " * 1000000, "nan 0 0",
                     "a " * 1000000, "1e400 0 0"]:
            c.check(f"cell {k} is '{cell[:20]}'", proof.replaced(i, cell), REFUSED)
    turned = list(proof.lines)
    for i in cells:
        turned[i] = " ".join(w if w in "tab" else str(-float(w)) for w in turned[i].split())
    c.check("directions turned round", Text.close(turned), REFUSED)
    reversed_lines = list(proof.lines)
    for q in moving:
        for i, j in zip(proof.cells(q), reversed(proof.cells(q))):
            reversed_lines[i] = proof.lines[j]
    c.check("cells in another order", Text.close(reversed_lines), REFUSED)
    other = list(proof.lines)
    for q, r in zip(moving, moving[1:] + moving[:1]):
        for i, j in zip(proof.cells(q), proof.cells(r)):
            other[i] = proof.lines[j]
    c.check("cells of other pairs", Text.close(other), REFUSED)
    c.check("margins raised", proof.each("pair", set_word(3, "0.3")), REFUSED)
    c.check("a margin of 1e300", proof.with_word(p, 3, "1e300"), REFUSED)
    c.check("a margin below 0", proof.with_word(p, 3, "-0.001"), REFUSED)
    c.check("margins lowered", proof.each("pair", set_word(3, "1e-7")), ACCEPTED,
            shows="margins from")
    c.check("uncertainty raised", proof.each("body", set_word(2, "0.2")), REFUSED)
    c.check("uncertainty below 0", proof.each("body", set_word(2, "-0.2")), REFUSED)


def forge_motion(c, proof):
    joint = proof.of("joint")[1]
    words = WORDS.findall(proof.lines[joint])
    c.check("the tube raised", proof.each("joint", set_word(2, "0.3")), REFUSED)
    c.check("the tube raised to 1e300", proof.each("joint", set_word(2, "1e300")), REFUSED)
    c.check("the tube below 0", proof.with_word(joint, 2, "-1"), REFUSED)
    for k, what in ((4, "first"), (5, "second"), (7, "inner"), (len(words) - 1, "last"),
                    (len(words) - 2, "last but one")):
        for change in (1e-4, -1e-4, 0.5, 1e3, 1e299):
            c.check(f"{what} coefficient changed by {change}",
                    proof.with_word(joint, k, repr(float(words[k]) + change)), REFUSED)
    for count in ["0", "-1", "19", "2e9", "2000000000", "1.5", "1e300"]:
        c.check(f"{count} coefficients", proof.with_word(joint, 3, count), REFUSED)
    c.check("a joint of two names", proof.with_word(joint, 1, words[1], words[1]), REFUSED)
    c.check("a joint of another's name",
            proof.with_word(joint, 1, WORDS.findall(proof.lines[joint - 1])[1]), REFUSED)
    c.check("a joint without a name", proof.with_word(joint, 1, '""'), REFUSED)
    c.check("a joint whose name has no end", proof.with_word(joint, 1, '"x'), REFUSED)
    b = proof.of("breaks")[0]
    times = proof.lines[b].split()
    middle = float(times[3])
    c.check("a break later", proof.with_word(b, 3, repr(middle + 1e-3)), REFUSED)
    c.check("breaks out of order", proof.replaced(b, " ".join(times[:2] + times[3:1:-1] +
                                                               times[4:])), REFUSED)
    c.check("a break twice", proof.with_word(b, 3, times[2]), REFUSED)
    c.check("a first break above 0", proof.with_word(b, 1, "1e-9"), REFUSED)
    c.check("a first break below 0", proof.with_word(b, 1, "-1"), REFUSED)
    c.check("all of it a hundred times as fast", proof.replaced(
        b, " ".join(["breaks"] + [repr(float(t) / 100) for t in times[1:]])), REFUSED)
    c.check("no time at all", proof.replaced(b, "breaks 0"), REFUSED)
    c.check("a moment", proof.replaced(
        b, " ".join(["breaks"] + [repr(k * 5e-324) for k in range(len(times) - 1)])), REFUSED)
    limits = proof.of("limit")
    for i in (limits[0], limits[1], limits[-1]):
        lower, upper = proof.lines[i].split()[3:5]
        c.check(f"limit above ({i})", proof.with_word(i, 3, "1e9", "2e9").replace(
            f"2e9 {upper}", "2e9"), REFUSED)
        c.check(f"limits exchanged ({i})",
                proof.replaced(i, " ".join(proof.lines[i].split()[:3] + ["1", "-1"])), REFUSED)
        c.check(f"limit of order 4 ({i})", proof.with_word(i, 2, "4"), REFUSED)
    fast = [i for i in limits if proof.lines[i].split()[2] == "1"][0]
    c.check("a limit of speed that is not kept", proof.replaced(
        fast, " ".join(proof.lines[fast].split()[:3] + ["-1e-3", "1e-3"])), REFUSED)
    c.check("limits of 1e300", proof.replaced(fast, " ".join(proof.lines[fast].split()[:3] +
                                                             ["-1e300", "1e300"])), ACCEPTED)


def forge_model(c, proof):
    nodes = proof.of("node")
    n = nodes[3]
    words = WORDS.findall(proof.lines[n])
    for parent in ["3", "4", "99", "-2", "0.5", "1e10"]:
        c.check(f"a parent of {parent}", proof.with_word(n, 1, parent), REFUSED)
    c.check("neither turn nor slide", proof.with_word(n, 2, "screw"), REFUSED)
    c.check("a joint that slides instead", proof.with_word(n, 2, "slide"), REFUSED)
    c.check("a source of its own", proof.with_word(n, 3, "99"), REFUSED)
    c.check("a factor of 100", proof.with_word(n, 4, "100"), REFUSED)
    c.check("a factor of 1e300", proof.with_word(n, 4, "1e300"), REFUSED)
    c.check("an offset of 2", proof.with_word(n, 5, "2"), REFUSED)
    c.check("a place of 1e300", proof.with_word(n, 17, "1e300"), REFUSED)
    c.check("a place 2 m off", proof.with_word(n, 17, "-2"), REFUSED)
    larger = [repr(1.001 * float(w)) for w in words[6:15]]
    c.check("a rotation that scales", proof.replaced(n, " ".join(words[:6] + larger + words[15:])),
            REFUSED, shows="not a rotation")
    c.check("a rotation of 0", proof.replaced(n, " ".join(words[:6] + ["0"] * 9 + words[15:])),
            REFUSED, shows="not a rotation")
    piece = proof.of("piece")[3]
    words = WORDS.findall(proof.lines[piece])
    head = " ".join(words[:14])
    for shape in ["hull", "hull 0.1", "hull -1 1 0 0 0", "hull 0.1 0", "hull 0.1 2 0 0 0",
                  "hull 0.1 2000000000 0 0 0", "hull 0.1 1e300", "hull 0.1 -1", "hull 3 1 0 0 0",
                  "hull 1e300 1 0 0 0", "hull 0 1 1e300 1e300 1e300", "cylinder 1", "cylinder 5 5",
                  "cone 5 5", "cone -1 5", "ellipsoid 5 5 5", "ellipsoid 1 1", "plane",
                  "plane 1", "cube 1", "solid", "solid 1 0 0 0 2 0 0 0 0 0 0",
                  "solid 3 0 0 0 1 0 0 0 1 0 1 0 1 2", "solid 3 0 0 0 1 0 0 0 1 0 2 0 1 2 0 1 2",
                  "solid 2000000000 0 0 0", "solid 3 0 0 0 1 0 0 0 1 0 2000000000 0 1 2",
                  "solid 3 0 0 0 1 0 0 0 1 0 2 0 1 2 0 2 3"]:
        c.check(f"a piece that is '{shape}'", proof.replaced(piece, f"{head} {shape}"), REFUSED)
    cover = proof.of("cover")[3]
    for count in ["0", "-1", "2", "2000000000", "1e300", "0.5"]:
        c.check(f"a cover of {count} pieces", proof.with_word(cover, 2, count), REFUSED)
    c.check("a cover of another body", proof.with_word(cover, 1, "0"), REFUSED)
    body = proof.of("body")[0]
    c.check("a body more", proof.replaced(body, proof.lines[body], proof.lines[body]), REFUSED)


def forge_texts(c, proof):
    tool = proof.of("breaks")[0] + 1
    add = lambda line: Text.close(proof.lines[:tool] + [line] + proof.lines[tool:])
    escape = 'tool "\x1b[2J\x1b[1;1Haccepted: all is well\x07\u202e\xff\x00"'
    c.check("terminal escapes in a text", add(escape), ACCEPTED, shows="tool: ?[2J")
    c.check("a verdict in a text", add('assume "accepted: clear"'), ACCEPTED,
            shows="\nassume: accepted: clear")
    c.check("quotes in a text", add(r'tool "a \"b\" \\ c"'), ACCEPTED, shows=r'a "b" \ c')
    c.check("a text without an end", add(r'tool "a \"'), REFUSED)
    c.check("words after a text", add('tool "a" "b"'), REFUSED)
    c.check("an empty text", add('tool ""'), REFUSED)
    c.check("10 MB of text", add('tool "' + "x" * 10000000 + '"'), ACCEPTED)
    c.check("an escape as a word", add("\x1b[2J 1 2"), REFUSED)
    body = proof.of("body")[0]
    c.check("an escape in a name", proof.with_word(body, 1, '"\x1b[2Jlink"'), ACCEPTED)
    joint = proof.of("joint")[0]
    limit = proof.of("limit")[0]
    forged = Text(proof.with_word(joint, 1, '"\x1b[2Jjoint"'))
    c.check("an escape in a name that is refused", forged.with_word(limit, 4, "-1e9"), REFUSED)


def forge_options(c, proof, path):
    of = {WORDS.findall(proof.lines[i])[1]: WORDS.findall(proof.lines[i])[2].strip('"')
          for i in proof.of("hash")}
    for word, key in (("--expect-robot", '"robot"'), ("--expect-task", '"task"')):
        c.check(f"the right {word}", path, ACCEPTED, [word, of[key]])
        for other in ("", "0" * 64, of[key][:-1], of[key] + " ", "'; true; '"):
            c.check(f"{word} of '{other}'", path, REFUSED, [word, other])
        line = [i for i in proof.of("hash") if key in proof.lines[i]][0]
        c.check(f"without a hash for {word}",
                Text.close(proof.lines[:line] + proof.lines[line + 1:]), REFUSED, [word, of[key]])
        c.check(f"{word} found in a text", Text.close(
            proof.lines[:line] + proof.lines[line + 1:-1] + [f'tool "hash {key[1:-1]} {of[key]}"',
                                                             proof.lines[-1]]),
                REFUSED, [word, of[key]])
    h = proof.of("hash")[0]
    c.check("a hash twice", proof.replaced(h, proof.lines[h], proof.lines[h]), REFUSED)
    c.check("a hash too late", Text.close(proof.lines[:h] + proof.lines[h + 1:-1] +
                                          [proof.lines[h], proof.lines[-1]]), REFUSED)
    joint = WORDS.findall(proof.lines[proof.of("joint")[1]])[1].strip('"')
    for tube in ("0.5", f"{joint}=1.5", "1e300"):
        c.check(f"--tube {tube}", path, REFUSED, ["--tube", tube], "not shown to be apart")
    for tube in ("nan", "inf", "-1", "x", "", "nobody=0.1", "0,5", "1e400", "0x1", f"{joint}=",
                 f"{joint}=nan", f"{joint}=-1", "=nan"):
        c.check(f"--tube {tube}", path, REFUSED, ["--tube", tube])
    c.check("a small --tube", path, ACCEPTED, ["--tube", "1e-12"], "within 1e-12 of")
    c.check("two --tube", path, REFUSED, ["--tube", "1e-12", "--tube", f"{joint}=1"])
    # A joint without a name must not use up the tube that is meant for all.
    first = proof.of("joint")[0]
    c.check("a nameless joint and --tube", proof.replaced(first, 'joint "" 0 ' + " ".join(
        ["1 0"] * (len(proof.lines[proof.of("breaks")[0]].split()) - 2)), proof.lines[first]),
        REFUSED, ["--tube", "0.5"])
    quoted = path.with_name("it's $(echo me) `true`.proof")
    quoted.write_bytes(path.read_bytes())
    c.check("a quote in the file's name", quoted, REFUSED, ["--task", "task.yaml"])
    c.check("a quote in an option", path, REFUSED, ["--task", "x'; true '"])
    c.check("an option without a value", path, REFUSED, ["--tube"])
    c.check("no file", path.with_name("none.proof"), REFUSED, shows="nothing to read")
    c.check("a folder", path.parent, REFUSED, shows="nothing to read")


def forge_bytes(c, proof):
    whole = ("\n".join(proof.lines) + "\n").encode()
    c.check("nothing", b"", REFUSED)
    c.check("one newline", b"\n", REFUSED)
    c.check("a line of zeros", bytes(1000), REFUSED)
    c.check("every byte", bytes(range(256)) * 64, REFUSED)
    c.check("another byte order", whole.decode().encode("utf-16"), REFUSED)
    c.check("a byte order mark", b"\xef\xbb\xbf" + whole, REFUSED)
    c.check("zeros after it", whole + bytes(10), REFUSED)
    for k in range(1, 40):  # one digit of the whole
        at = k * len(whole) // 40
        c.check(f"byte {at} is a quote", whole[:at] + b"\x00\"" + whole[at + 1:], REFUSED)


IDENTITY = "1 0 0 0 1 0 0 0 1 0 0 0"
TETRAHEDRON = "4 0 0 0 1 0 0 0 1 0 0 0 1 4 "
OUTWARD, INWARD = "0 2 1 0 1 3 0 3 2 1 2 3", "0 1 2 0 3 1 0 2 3 1 3 2"


def forge_solids(c):
    """A small body inside a closed surface: every triangle is far from it."""
    cells = "a a 0 0 {0} 0 {0} 0 a {0} 0 0 {1} {1} {1}"
    for scale, offset in ((1.0, 0.0), (1e6, 0.0), (1.0, 1e6), (1e-6, 0.0)):
        for triangles in (OUTWARD, INWARD):
            points = " ".join(repr(scale * float(w)) for w in TETRAHEDRON.split()[1:13])
            inside = f"{0.1 * scale!r} {0.1 * scale!r} {0.1 * scale!r}"
            lines = ["allclear-proof 1", "breaks 0 1",
                     f"node -1 slide -1 0 {offset!r} {IDENTITY}", 'body "a" 0', 'body "b" 0',
                     "cover 0 1", f"piece 0 {IDENTITY} solid 4 {points} 4 {triangles}",
                     "cover 1 1", f"piece 0 {IDENTITY} hull 0 1 {inside}",
                     f"pair 0 1 {1e-4 * scale!r}", cells.format(1, -1), "end 12"]
            c.check(f"a point in a solid of {scale} m at {offset} m", "\n".join(lines) + "\n",
                    REFUSED, shows="a body in a solid")
            ball = list(lines)
            ball[8] = f"piece 0 {IDENTITY} cylinder 0 0"
            ball[8] = ball[8].replace("0 0 0 cylinder", f"{inside} cylinder")
            c.check("a cylinder in a solid", "\n".join(ball) + "\n", REFUSED,
                    shows="a body in a solid")
            ball = list(lines)
            ball[9] = "pair 0 1 0"
            c.check("a solid without a margin", "\n".join(ball) + "\n", REFUSED)
            small = " ".join(repr(scale * (0.1 + 0.05 * float(w)))
                             for w in TETRAHEDRON.split()[1:13])
            solid = list(lines)
            solid[8] = f"piece 0 {IDENTITY} solid 4 {small} 4 {triangles}"
            c.check("a solid in a solid", "\n".join(solid) + "\n", REFUSED,
                    shows="a body in a solid")
            solid[6], solid[8] = solid[8], solid[6]
            solid[10] = "b b 0 0 -1 0 -1 0 b -1 0 0 1 1 1"
            c.check("a solid around a solid", "\n".join(solid) + "\n", REFUSED,
                    shows="a body in a solid")
    # Two parts, of which the second is inside.
    two = "8 9 9 9 10 9 9 9 10 9 9 9 10 .1 .1 .1 .15 .1 .1 .1 .15 .1 .1 .1 .15 8 " + OUTWARD + \
        " 4 6 5 4 5 7 4 7 6 5 6 7"
    lines = ["allclear-proof 1", "breaks 0 1", 'body "a" 0', 'body "b" 0', "cover 0 1",
             f"piece -1 {IDENTITY} solid {TETRAHEDRON}{OUTWARD}", "cover 1 1",
             f"piece -1 {IDENTITY} solid {two}".replace(" .", " 0."), "pair 0 1 0.0001",
             "b 1 1 1 a a 0 0 1 0 1 0 a 1 0 0 -1 -1 -1",
             "end 11"]
    c.check("the second part of a solid in a solid", "\n".join(lines) + "\n", REFUSED,
            shows="a body in a solid")


def forge_shells(c):
    """Surfaces that bound nothing: what is within them is free, they themselves are not."""
    cells = "a a 0 0 1 0 1 0 a 1 0 0 -1 -1 -1"
    inside = "0.1 0.1 0.1"

    def proof(first, second, cell):
        lines = ["allclear-proof 1", "breaks 0 1", 'body "a" 0', 'body "b" 0', "cover 0 1",
                 f"piece -1 {IDENTITY} {first}", "cover 1 1", f"piece -1 {IDENTITY} {second}", "pair 0 1 0.0001", cell, "end 11"]
        return "\n".join(lines) + "\n"
    shell, solid = f"shell {TETRAHEDRON}{OUTWARD}", f"solid {TETRAHEDRON}{OUTWARD}"
    point = f"hull 0 1 {inside}"
    c.check("a point within a shell", proof(shell, point, cells), ACCEPTED)
    c.check("a point within a solid", proof(solid, point, cells), REFUSED, shows="a body in a solid")
    three = shell.replace(" 4 0 2 1", " 3 0 2 1").replace(" 1 2 3", "")
    c.check("a shell of three triangles", proof(three, point, "a 0 0 1 a 0 1 0 1 0 0"), ACCEPTED)
    c.check("three triangles as a solid", proof(three.replace("shell", "solid"), point, "a 0 0 1 a 0 1 0 1 0 0"), REFUSED,
            shows="not closed")
    c.check("a shell that a point is in", proof(shell, "hull 0 1 0 0.25 0.25", cells), REFUSED,
            shows="two pieces are not shown to be apart")
    c.check("a shell without a margin", proof(shell, point, cells).replace("0.0001", "0"), REFUSED)
    # A shell within a solid; also when a corner that no triangle has is outside.
    small = "0.1 0.1 0.1 0.15 0.1 0.1 0.1 0.15 0.1"
    c.check("a shell in a solid", proof(solid, f"shell 3 {small} 1 0 1 2", cells), REFUSED, shows="a body in a solid")
    c.check("a shell in a solid with a corner outside", proof(solid, f"shell 4 9 9 9 {small} 1 1 2 3", cells), REFUSED,
            shows="a body in a solid")
    c.check("a shell in a shell", proof(shell, f"shell 3 {small} 1 0 1 2", cells), ACCEPTED)
    for broken in ("shell 3 0 0 0 1 0 0 0 1 0 0", "shell 3 0 0 0 1 0 0 0 1 0 1 0 1 3", "shell 0 0", "shells 1 0 0 0 1 0 0 0",
                   "shell 2000000000 0 0 0", "shell 1 0 0 0 2 0 0 0"):
        c.check(f"a broken shell: {broken}", proof(broken, point, cells), REFUSED)


def forge_spreads(c, proof):
    """A body that may be displaced: its line is needed in its place, its sources say how far."""
    i = proof.of("spread")[0]
    line, words = proof.lines[i], proof.lines[i].split()
    c.check("a spread left out", Text.close(proof.lines[:i] + proof.lines[i + 1:]), ACCEPTED)  # claims less
    c.check("a spread twice", proof.replaced(i, line, line), REFUSED, shows="repeated, or too late")
    c.check("a spread after the pairs", Text.close(proof.lines[:i] + proof.lines[i + 1:-1] + [line, proof.lines[-1]]),
            REFUSED, shows="repeated, or too late")
    for k in range(1, 8):
        for bad in NO_NUMBERS + ["-1", "1.5", "123456789"]:
            c.check(f"spread, word {k} is {bad}", proof.with_word(i, k, bad), REFUSED)
        c.check(f"spread, word {k} dropped", proof.with_word(i, k), REFUSED)
        c.check(f"spread, word {k} repeated", proof.with_word(i, k, words[k], words[k]), REFUSED)
    c.check("a spread of the first body", proof.with_word(i, 1, "0"), REFUSED, shows="a spread of the first body")
    # Its entry xx: that of metres, and one that may stray.
    entry = [j for j, each in enumerate(proof.lines) if each.split(" ", 1)[0] in ("joint", "track")][int(words[2])]
    name = WORDS.findall(proof.lines[entry])[1]
    intervals = len(proof.lines[proof.of("breaks")[0]].split()) - 2
    c.check("a wider spread", proof.replaced(entry, f"track {name} 0" + " 1 9" * intervals), REFUSED,
            shows="not shown to be apart")
    c.check("a spread that strays", proof.with_word(entry, 2, "0.1"), REFUSED, shows="a spread may not stray")


def forge_sizes(c):
    """Files made to exhaust memory or time."""
    head = "allclear-proof 1\nbreaks 0 1\n"
    node = f"node {{}} turn -1 0 0 {IDENTITY}\n"
    chain = head + "".join(node.format(k - 1) for k in range(100000))
    c.check("a chain of 100,000 joints", chain, REFUSED, shows="in a row")
    c.check("a comb of joints", head + "".join(node.format(-1) for _ in range(20000)), REFUSED)
    c.check("100,000 breaks", "allclear-proof 1\nbreaks " +
            " ".join(map(str, range(100000))) + "\n", REFUSED)
    c.check("10 MB in one line", head + "joint " + "1 " * 5000000 + "\n", REFUSED)
    c.check("1,000,000 lines", head + 'tool "x"\n' * 1000000, REFUSED)
    c.check("10,000 bodies", head + 'body "x" 0\n' * 10000 + "end 10003\n", REFUSED)


def main():
    command, source, verifiers = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        c = Checker(verifiers, folder)
        for example in ("shelf", "moving_obstacle", "upright", "walking_person"):
            out = folder / example
            subprocess.run([command, "plan", "task.yaml", "--quiet", "-o", str(out)], check=True,
                           cwd=source / "examples" / example, stdout=subprocess.DEVNULL)
            path = out / "plan.proof"
            proof = Text(path.read_text())
            c.check(f"the proof of {example}", path, ACCEPTED)
            forge_pairs(c, proof)
            forge_motion(c, proof)
            if example == "moving_obstacle":
                forge_words(c, proof)
                forge_lines(c, proof)
                forge_model(c, proof)
            if example == "walking_person":
                forge_spreads(c, proof)
            if example == "upright":
                forge_texts(c, proof)
                forge_options(c, proof, path)
                forge_bytes(c, proof)
        forge_solids(c)
        forge_shells(c)
        forge_sizes(c)
        for seed in sorted((source / "tests/verify/seeds").glob("*.proof")):
            c.check(f"the seed {seed.name}", seed, ACCEPTED)
        for failure in c.failures[:60]:
            print("WRONG", failure)
        print(f"{c.count} forgeries, {len(c.failures)} wrong answers, of {len(verifiers)} verifiers")
        return 1 if c.failures else 0


if __name__ == "__main__":
    sys.exit(main())
