"""Renders the fleet's chart where helm is not installed: as much of its template language as the chart uses, and an
error for anything else."""

import json
import re
import shlex

PIECE = re.compile(r"(\{\{-?\s.*?\s-?\}\})", re.S)


class Chart:
    """Templates by name, and the values they are given."""

    def __init__(self, folder, values, to_yaml):
        self.defined, self.values, self.to_yaml = {}, values, to_yaml
        self.root = {"Values": values, "Release": {"Name": "fleet"}}
        self.files = {path.name: parse(path.read_text()) for path in sorted((folder / "templates").iterdir())}

    def render(self):
        """The text of every template, by file."""
        for tree in self.files.values():
            self.run(tree, self.root, {})
        return {name: self.run(tree, self.root, {}) for name, tree in self.files.items() if name.endswith(".yaml")}

    def run(self, tree, dot, names):
        return "".join(part if isinstance(part, str) else self.act(part, dot, names) for part in tree)

    def act(self, part, dot, names):
        word, rest, body, otherwise = part
        if word == "define":
            self.defined[shlex.split(rest)[0]] = body
            return ""
        if word == "range":
            return "".join(self.run(body, one, dict(names)) for one in self.value(rest, dot, names))
        if word == "if":
            return self.run(body if self.value(rest, dot, names) else otherwise, dot, names)
        if assigned := re.fullmatch(r"\$(\w+) := (.*)", rest):
            names[assigned[1]] = self.value(assigned[2], dot, names)
            return ""
        return str(self.value(rest, dot, names))

    def value(self, text, dot, names):
        found = None
        for number, stage in enumerate(text.split(" | ")):
            words = shlex.split(stage, posix=False)
            given = [self.word(word, dot, names) for word in words[1:]] + ([found] if number else [])
            found = self.call(words[0], given, dot, names)
        return found

    def call(self, name, given, dot, names):
        match name:
            case "quote":
                return json.dumps(str(given[0]))
            case "not":
                return not given[0]
            case "toYaml":
                return self.to_yaml(given[0]).rstrip("\n")
            case "toJson":
                return json.dumps(given[0])
            case "nindent":
                return "".join("\n" + " " * given[0] + line for line in given[1].split("\n"))
            case "include":
                return self.run(self.defined[given[0]], given[1], {}).strip("\n")
            case "required":
                assert given[1], given[0]
                return given[1]
        assert not given, f"{name} is no function that the chart may use"
        return self.word(name, dot, names)

    def word(self, word, dot, names):
        if word[0] == '"':
            return json.loads(word)
        if word.isdigit():
            return int(word)
        if word == ".":
            return dot
        assert word[0] in ".$", f"{word} is nothing that the chart may say"
        start, *path = word.split(".")
        found = dot if start == "" else self.root if start == "$" else names[start[1:]]
        for name in path:
            found = found[name]
        return found


def parse(text):
    """A tree of text and actions: word, what follows it, body, else."""
    parts = PIECE.split(text)
    for number in range(1, len(parts), 2):
        if parts[number].startswith("{{-"):
            parts[number - 1] = parts[number - 1].rstrip()
        if parts[number].endswith("-}}"):
            parts[number + 1] = parts[number + 1].lstrip()
    tree, _, left = body(parts, 0)
    assert left == len(parts), "there is an end without a beginning"
    return tree


def body(parts, at):
    """What stands before the next `end` or `else`, that word, and where it goes on."""
    tree = []
    while at < len(parts):
        if at % 2 == 0:
            tree.append(parts[at])
            at += 1
            continue
        said = parts[at].strip("{}").strip("-").strip()
        word, _, rest = said.partition(" ")
        at += 1
        if word in ("end", "else"):
            return tree, word, at
        if word not in ("if", "range", "define"):
            tree.append(("say", said, [], []))
            continue
        inner, stop, at = body(parts, at)
        otherwise = []
        if stop == "else":
            otherwise, stop, at = body(parts, at)
        assert stop == "end", f"{said} has no end"
        tree.append((word, rest, inner, otherwise))
    return tree, "", at
