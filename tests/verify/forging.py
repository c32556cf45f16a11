"""Proofs as lines to be changed, and the checker's answers to them."""
import pathlib
import re
import subprocess

REFUSED, ACCEPTED = 1, 0
SECONDS = 60  # with sanitizers, on a busy machine
WORDS = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')


class Checker:
    def __init__(self, verifiers, folder):
        self.verifiers, self.folder = verifiers, folder
        self.count, self.failures = 0, []

    def check(self, name, text, expected, options=(), shows=""):
        """`text`: of the file, or its path. `shows`: must stand in the answer."""
        path = text
        if not isinstance(text, pathlib.Path):
            path = self.folder / "forged.proof"
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.count += 1
        for verifier in self.verifiers:
            try:
                run = subprocess.run([verifier, str(path), *options], capture_output=True,
                                     timeout=SECONDS)
            except subprocess.TimeoutExpired:
                self.failures.append(f"{name}: takes longer than {SECONDS} s")
                continue
            self.judge(name, verifier, run, expected, shows)

    def judge(self, name, verifier, run, expected, shows):
        out = run.stdout.decode(errors="replace")
        first = (out.splitlines() or [""])[0]
        said = f"{name}: {pathlib.Path(verifier).name} said '{first[:200]}'"
        if run.returncode != expected or run.stderr:
            tail = run.stderr.decode(errors="replace")[-300:]
            self.failures.append(f"{said} (exit {run.returncode}, not {expected}) {tail}")
        elif not first.startswith("refused: " if expected else "accepted: "):
            self.failures.append(f"{said}, without a verdict")
        elif len(re.findall("^accepted: ", out, re.M)) + expected != 1:
            self.failures.append(f"{said}, and another verdict")
        elif re.search(r"[^\n -~]", out):
            self.failures.append(f"{said}, with a character that is none")
        elif shows not in out:
            self.failures.append(f"{said}, without '{shows}'")


class Text:
    """A proof as lines."""

    def __init__(self, text):
        self.lines = text.splitlines()

    def of(self, word):
        return [i for i, line in enumerate(self.lines) if line.split(" ", 1)[0] == word]

    def cells(self, pair):
        """The lines of cells that follow a pair."""
        i = pair + 1
        while re.match(r"[-0-9tab]\S* ", self.lines[i]) and not self.lines[i].startswith("body"):
            i += 1
        return range(pair + 1, i)

    def replaced(self, i, *lines):
        return self.close(self.lines[:i] + list(lines) + self.lines[i + 1:])

    def with_word(self, i, k, *words):
        old = WORDS.findall(self.lines[i])
        return self.replaced(i, " ".join(old[:k] + list(words) + old[k + 1:]))

    def each(self, word, change):
        """Every line of a kind changed."""
        return self.close([change(line) if line.split(" ", 1)[0] == word else line
                           for line in self.lines])

    @staticmethod
    def close(lines):
        """With the right number of lines."""
        if lines and lines[-1].startswith("end "):
            lines = lines[:-1] + [f"end {len(lines)}"]
        return "\n".join(lines) + "\n"
