#!/usr/bin/env python3
"""Leaves out each term of the checker's bound in turn: random motions must notice every time.

usage: mutants.py SOURCE_FOLDER BUILD_FOLDER [COMPILER]

Each mutant is the checker's source with one text replaced. All of them are compiled into one
program, each in a namespace of its own, and judge the same random motions (random_motion.h): a
mutant is caught when it accepts a margin above the room that sampling finds.
"""
import pathlib
import subprocess
import sys
import tempfile

# What is left out, the text in the source, and what takes its place.
MUTANTS = [
    ("nothing", "", ""),
    ("turn: x' times the speed, in the rest", "rest + x1 * speed + 0.5", "rest + 0.5"),
    ("turn: x'^2 rho, in the rest", "(x1 * x1 + x2) * rho", "(x2) * rho"),
    ("turn: x'' rho, in the rest", "(x1 * x1 + x2) * rho", "(x1 * x1) * rho"),
    ("slide: x'', in the rest", "rest + 0.5 * x2 + delta", "rest + delta"),
    ("turn: x' rho, in the speed", "speed + size(slope) * rho", "speed"),
    ("slide: x', in the speed", "speed = speed + size(slope);\n      ", "speed = speed;"),
    ("the piece's radius, in rho", "length(X0[3][0], X0[3][1]) + radius", "length(X0[3][0], X0[3][1])"),
    ("the piece's place, in rho", "length(X0[3][0], X0[3][1]) + radius", "radius"),
    ("turn: the stray", " + delta * (rho + speed)", ""),
    ("slide: the stray", "+ 0.5 * x2 + delta", "+ 0.5 * x2"),
    ("rho, in a turn's stray", "delta * (rho + speed)", "delta * speed"),
    ("the speed, in a turn's stray", "delta * (rho + speed)", "delta * rho"),
    ("the factor, in the stray", "factor * sources_[node.source].tube", "1.0 * I(sources_[node.source].tube)"),
    ("rotations that are not quite", "kStretch = 1.0 + 2e-9", "kStretch = 1.0"),
    ("the first body's uncertainty", "bodies_[a.first].second + bodies_[b.first].second", "bodies_[b.first].second"),
    ("the second body's uncertainty", "bodies_[a.first].second + bodies_[b.first].second", "bodies_[a.first].second"),
    ("the first piece's rest", "gap_ + m_A.rest + m_B.rest", "gap_ + m_B.rest"),
    ("the second piece's rest", "gap_ + m_A.rest + m_B.rest", "gap_ + m_A.rest"),
    ("the margin", "gap_ = I(margin) +", "gap_ = I(0.0) +"),
    ("the cell's beginning", "{-1.0, 1.0}", "{1.0}"),
    ("the cell's end", "{-1.0, 1.0}", "{-1.0}"),
    ("the turn of the velocity", "v1 = v1 + slope * V{-v0[1], v0[0], 0.0}", "v1 = v1"),
    ("the size, in the radius", "p.radius = p.radius + length(p.size[0], p.size[1], p.size[2])", "p.radius = p.radius"),
    ("the points, in the radius", "p.radius = greater(p.radius.hi, length(x))", "p.radius = p.radius"),
    ("a hull's ball", "(most + p.size[0] * I(length(w))).hi", "most"),
    ("a cylinder's height", "(radial + size(axial)).hi", "radial.hi"),
    ("a cone's foot", "greater((radial - axial).hi, axial.hi)", "axial.hi"),
    ("a cone's apex", "greater((radial - axial).hi, axial.hi)", "(radial - axial).hi"),
    ("an ellipsoid's third axis", "p.size[2] * w[2]);", "0.0);"),
    ("later intervals", "return spans[interval]; }), a, b", "return spans[0]; }), a, b"),
    ("the second half of the time", "checkCell(right, a, b, depth + 1)", "checkCell(left, a, b, depth + 1)"),
    ("the second half of the triangles", "Range{middle, whole[1]}}", "Range{whole[0], middle}}"),
    ("the direction's length", "gap * length(n)", "gap"),
    ("the spread", "sway(n, courses)).hi", "I(0.0)).hi"),
    ("the spread's mixed entries", "2.0 * n[k / 5]", "0.0 * n[k / 5]"),
    ("all coefficients of a spread but the first", "for (const I& x : courses[swaying_[k]].b)",
     "for (const I& x : {courses[swaying_[k]].b.front()})"),
    ("the rounding", "(std::fabs(x) * 0x1p-52 + 1e-300)", "0.0"),
]

HEAD = '''
#include <iostream>
#include "verify/random_motion.h"
%s
struct Mutant { const char* name; bool (*accepts)(const std::string&); int caught_by = -1; };
'''
NAMESPACE = '''
namespace mutant_%d {
%s
bool accepts(const std::string& text) {
  std::istringstream in(text);
  try {
    const Proof proof(in, {});
    return true;
  } catch (const std::exception&) {
    return false;
  }
}
}  // namespace mutant_%d
'''
MAIN = '''
int main() {
  Mutant mutants[] = {%s};
  int alive = std::size(mutants) - 1;
  for (int seed = 0; seed < %d && (alive > 0 || seed < 20000); ++seed) {
    allclear::test::Random random(seed);
    const allclear::test::RandomMotion motion(random);
    if (!(motion.leastRoom() > 0.0L)) continue;
    const std::string above = motion.text(static_cast<double>(motion.leastRoom()) + 1e-16);
    for (Mutant& mutant : mutants) {
      if (mutant.caught_by >= 0 || !mutant.accepts(above)) continue;
      mutant.caught_by = seed;
      --alive;
    }
  }
  int wrong = 0;
  for (const Mutant& mutant : mutants) {
    const bool is_right = (mutant.caught_by < 0) == (&mutant == mutants);
    if (!is_right) ++wrong;
    std::cout << (is_right ? "" : "WRONG ") << "left out: " << mutant.name << ": ";
    if (mutant.caught_by < 0) std::cout << "never caught\\n";
    else std::cout << "caught by motion " << mutant.caught_by << "\\n";
  }
  return wrong == 0 ? 0 : 1;
}
'''


def program(source, motions):
    includes = [line for line in source.splitlines() if line.startswith("#include")]
    body = "\n".join(line for line in source.splitlines() if not line.startswith("#include"))
    body = body.replace("int main(", "int verifyMain(")
    parts, table = [HEAD % "\n".join(includes)], []
    for k, (name, old, new) in enumerate(MUTANTS):
        if old and old not in body:
            raise SystemExit(f"the checker has no longer the text of '{name}': {old}")
        parts.append(NAMESPACE % (k, body.replace(old, new) if old else body, k))
        table.append('{"%s", &mutant_%d::accepts}' % (name, k))
    return "".join(parts) + MAIN % (", ".join(table), motions)


def main():
    tree, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    compiler = sys.argv[3] if len(sys.argv) > 3 else "g++"
    source = (tree / "verify/allclear_verify.cpp").read_text()
    with tempfile.TemporaryDirectory() as folder:
        cpp = pathlib.Path(folder) / "mutants.cpp"
        cpp.write_text(program(source, 40000))
        subprocess.run([compiler, "-std=c++20", "-O1", "-w", "-ffp-contract=off", "-I", tree / "tests",
                        "-I", build / "include", "-isystem", "/usr/include/eigen3", cpp,
                        "-o", cpp.with_suffix("")], check=True)
        return subprocess.run([cpp.with_suffix("")]).returncode


if __name__ == "__main__":
    sys.exit(main())
