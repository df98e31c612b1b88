#!/usr/bin/env python3
"""Checks the documents, and runs the examples in them.

    examples.py SOURCE_DIR [TOOL]

Every document: no line over 120 characters outside of tables, every link leads to a file and a heading that exist, and
the README has at most 900 words. With TOOL, every `arks ...` in a code block or in `quotes` names a command and flags
that --help lists, every flag in the README and in the guide belongs to some command, and tables of methods and the like
list words that --help knows. A code block behind the comment <!-- run --> is run, line by line, in a folder of its own
per document; flags in that comment are added to every `arks train` of the block, so that it takes seconds.
"""
import concurrent.futures
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

MOST_WORDS = 900  # of the README
LONGEST_LINE = 120
USER_DOCUMENTS = ("README.md", "docs/guide.md")
# flags whose values are words that --help must know, too
WORD_FLAGS = ("--method", "--attack", "--kernel", "--cost", "--label", "--norm", "--scale", "--inner-opt", "--opt")


class Block:
    """A fenced code block: where it begins, its language (none for output), the flags of its run comment (None: not to
    be run) and its lines."""

    def __init__(self, line, language, run):
        self.line, self.language, self.run, self.lines = line, language, run, []

    def commands(self):
        """Lines that call the tool, with continued ones joined and comments left out."""
        for line in "\n".join(self.lines).replace("\\\n", " ").splitlines():
            if self.language and line.startswith("arks "):
                yield shlex.split(line, comments=True)


class Document:
    def __init__(self, root, name):
        self.name, self.folder = name, (root / name).parent
        self.text = (root / name).read_text(encoding="utf-8")
        self.blocks, self.prose = [], []
        inside, run = None, None
        for number, line in enumerate(self.text.splitlines(), 1):
            if line.startswith("```"):
                inside = None if inside else Block(number, line[3:], run)
                if inside:
                    self.blocks.append(inside)
                run = None
            elif inside:
                inside.lines.append(line)
            else:
                comment = re.fullmatch(r"<!-- run(.*) -->", line)
                run = shlex.split(comment[1]) if comment else None
                self.prose.append(line)
        self.spans = re.findall(r"`([^`]+)`", "\n".join(self.prose))

    def anchors(self):
        """As GitHub makes them from headings."""
        for line in self.prose:
            if line.startswith("#"):
                title = line.lstrip("#").strip().lower()
                yield re.sub(r"[^\w\- ]", "", title).replace(" ", "-")


def check_text(root, documents):
    for document in documents.values():
        for number, line in enumerate(document.text.splitlines(), 1):
            if len(line) > LONGEST_LINE and not line.startswith("|"):
                yield f"{document.name}:{number} has {len(line)} characters, {LONGEST_LINE} are the most"
            if "build/release/arks" in line:
                yield f"{document.name}:{number}: the tool is called arks in every example"
        for link in re.findall(r"\]\(([^)]+)\)", "\n".join(document.prose)):
            if "://" in link:
                continue
            path, _, anchor = link.partition("#")
            target = (document.folder / path).resolve() if path else (root / document.name).resolve()
            if not target.exists():
                yield f"{document.name} links to {path}, which does not exist"
            elif anchor and anchor not in documents[str(target.relative_to(root.resolve()))].anchors():
                yield f"{document.name} links to {link}, which has no such heading"
    words = len(documents["README.md"].text.split())
    if words > MOST_WORDS:
        yield f"README.md has {words} words, {MOST_WORDS} are the most"


class Tool:
    def __init__(self, program):
        self.program = str(Path(program).resolve())
        self.helps = {"": self.help_of()}
        commands = re.findall(r"^  ([a-z]+) ", self.helps[""].split("Subcommands:\n")[-1].split("\n\n")[0], re.M)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.helps.update(zip(commands, pool.map(self.help_of, commands)))

    def help_of(self, *command):
        return subprocess.run([self.program, *command, "--help"], capture_output=True, text=True, check=True).stdout

    def says(self, command, word):
        return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", self.helps[command]) is not None

    def flags_of(self, command):
        """Those that begin a line of --help: `  -v,--verbose`, `  --swa,--no-swa`, `  --seed N`."""
        listed = re.findall(r"^ +(-\S+)", self.helps[command], re.M)
        return {name for names in listed for name in names.split(",")}

    def problems_of(self, words):
        """What is wrong with a command line `arks words...`."""
        command = words[1] if len(words) > 1 else ""
        if command.startswith("-") or command.isupper():  # arks --version, arks COMMAND
            return []
        if command not in self.helps:
            return [f"arks {command} does not exist"]
        found = []
        for word, following in zip(words[2:], words[3:] + [""]):
            flag, _, value = word.partition("=")
            if not flag.startswith("--"):
                continue
            value = (value or following).strip(",;")
            if flag not in self.flags_of(command):
                found.append(f"arks {command} has no flag {flag}")
            elif flag in WORD_FLAGS and not value.isupper() and not self.says(command, value):
                found.append(f"arks {command} {flag} knows no {value}")
        return found


def check_commands(tool, documents):
    if not tool.problems_of(["arks", "train", "--no-such-flag"]) or not tool.problems_of(["arks", "no-such-command"]):
        yield "this check finds nothing: a made-up flag passed"
    calls = 0
    for document in documents.values():
        lines = [words for block in document.blocks for words in block.commands()]
        lines += [span.replace("\n", " ").split() for span in document.spans if span.startswith("arks ")]
        calls += len(lines)
        for words in lines:
            for problem in tool.problems_of(words):
                yield f"{document.name}: {problem} ({' '.join(words)})"
    if calls < 50:
        yield f"only {calls} calls of arks were found in the documents"
    known = set().union(*(tool.flags_of(command) for command in tool.helps))
    for name in USER_DOCUMENTS:
        for span in documents[name].spans:
            for flag in re.findall(r"^--[a-z][a-z-]*", span):
                if flag not in known:
                    yield f"{name} names {flag}, which no command has"


def check_tables(tool, documents):
    """In a table whose first heading is a flag, such as `--method`, the words below it are ones that --help knows."""
    for name in USER_DOCUMENTS:
        flag = None
        for line in documents[name].prose:
            cell = line.split("|")[1] if line.startswith("|") else ""
            spans = re.findall(r"`([^`]+)`", cell)
            if not cell:
                flag = None
            elif flag is None:
                flag = spans[0] if spans and spans[0] in WORD_FLAGS else ""
            elif flag:
                commands = [command for command in tool.helps if flag in tool.flags_of(command)]
                for word in spans:
                    if not word.startswith("--") and not any(tool.says(command, word) for command in commands):
                        yield f"{name}: {flag} knows no {word}"


def png(red):
    """A grey-scale gradient of 8x6 pixels in one colour, as a PNG file."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([red, 40 * y, 30 * x][i] for x in range(8) for i in range(3)) for y in range(6))
    header = struct.pack(">IIBBBBB", 8, 6, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def npy(kind, shape, data):
    header = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def put_data(folder):
    """What the examples call photos, images.npy, labels.npy, prices.csv, field.csv, winter.csv and siteB.csv."""
    for kind, red in (("cats", 200), ("dogs", 20)):
        (folder / "photos" / kind).mkdir(parents=True)
        for i in range(10):
            (folder / "photos" / kind / f"{i}.png").write_bytes(png(red + i))
    images = bytes((7 * i + 3 * j) % 256 for i in range(20) for j in range(28 * 28))
    (folder / "images.npy").write_bytes(npy("|u1", (20, 28, 28), images))
    (folder / "labels.npy").write_bytes(npy("<i8", (20,), b"".join(struct.pack("<q", i % 10) for i in range(20))))
    rows = [f"{i % 7},{i % 5},{i % 3},{i % 11},{i % 7 + 0.3 * (i % 11):.2f}" for i in range(60)]
    (folder / "prices.csv").write_text("\n".join(["rooms,floor,garage,age,price", *rows]) + "\n", encoding="utf-8")
    for name, ages in (("winter.csv", 2), ("siteB.csv", 5)):
        lines = [f"{i % 7};{i % 5};{i % 3};{i % 11 + ages};{i % 7 + 0.3 * (i % 11):.2f};x" for i in range(30)]
        text = "\n".join(["rooms;floor;garage;age;price;seller", *lines]) + "\n"
        (folder / name).write_text(text, encoding="utf-8")
    rows = [f"{i % 7},{i % 5},{i % 3},{i % 11 + 4}" for i in range(40)]  # older, and the price is not known yet
    (folder / "field.csv").write_text("\n".join(["rooms,floor,garage,age", *rows]) + "\n", encoding="utf-8")


def run_examples(tool, document):
    """Runs the blocks that are to be run; returns what went wrong."""
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    with tempfile.TemporaryDirectory() as place:
        put_data(Path(place))
        for block in document.blocks:
            if block.lines and re.fullmatch(r"# \S+\.toml", block.lines[0]):
                Path(place, block.lines[0][2:]).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        for block in document.blocks:
            for words in block.commands() if block.run is not None else ():
                added = block.run if words[1] == "train" else []
                done = subprocess.run([tool.program, *words[1:], *added], cwd=place, env=environment, text=True,
                                      capture_output=True)
                if done.returncode != 0:
                    last = (done.stderr.strip().splitlines() or ["no word"])[-1]
                    return [f"{document.name}:{block.line}: {' '.join(words + added)}: {last}"]
    return []


def main():
    root = Path(sys.argv[1])
    names = [path.relative_to(root).as_posix() for path in [*root.glob("*.md"), *root.glob("docs/*.md")]]
    documents = {name: Document(root, name) for name in sorted(names)}
    problems = list(check_text(root, documents))
    if len(sys.argv) > 2:
        tool = Tool(sys.argv[2])
        problems += [*check_commands(tool, documents), *check_tables(tool, documents)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for found in pool.map(lambda name: run_examples(tool, documents[name]), USER_DOCUMENTS):
                problems += found
    for problem in problems:
        print("FAILED:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
