"""What files of Swift declare and what they name, read without a compiler.

A file names what its code mentions: types, functions and constants declared at the top level, types nested in other
types by their whole path, and members that extensions add, where no other declaration of the target has the same name.
Comments and strings count for nothing, the code in a string's interpolations does. A name is the file's own when the
file declares it, when it is nested in a type that the file declares or extends, and when it is a generic parameter.
`private` declarations are seen by their file alone.
"""

import collections
import os
import re

MODIFIERS = """
    package public internal private fileprivate open final indirect static class nonisolated mutating nonmutating
    borrowing consuming override convenience required lazy weak unowned dynamic distributed isolated
"""
KINDS = "struct class enum actor protocol typealias associatedtype extension func var let init subscript case macro"
DECLARATION = re.compile(
    r"(?:@\w+(?:\([^)]*\))?\s+)*"
    rf"((?:(?:{'|'.join(MODIFIERS.split())})(?:\(\w+\))?\s+)*)"
    rf"({'|'.join(KINDS.split())})\b\s*([^\n]*)"
)
IMPORT = re.compile(
    r"^(?:@\w+\s+)*(?:(?:package|internal|private|public|fileprivate) )?import (?:(?:struct|class|enum|func) )?(\w+)",
    re.M,
)
TYPES = {"struct", "class", "enum", "actor", "protocol", "typealias", "associatedtype"}
GENERIC = {"struct", "class", "enum", "actor", "typealias", "func", "init", "subscript"}
PARAMETERS = re.compile(r"<([A-Z][^<>()]*)>(?=\s*\(|\s*[:{=]|\s*where|$)")
PARAMETER = re.compile(r"\s*(?:each\s+|let\s+)?(\w+)")
WORD = re.compile(r"(?<![\w`])[a-z_]\w*")
# What stands before a member: a name, or the end of an expression.
OWNER = re.compile(r"([\w`]+|[)\]}>?!\"])(?:\s*\n\s*)?$")
# Stands for an interpolation in the contents of a string.
PLACEHOLDER = "\u2026"
PATH = re.compile(r"(?<![\w.])([A-Z]\w*(?:\.[A-Z]\w*)*)")


def literals_of(text):
    """The string literals of a text, each as (its line, its contents), with a placeholder for each interpolation."""
    literals = []
    code_of(text, literals)
    return literals


def code_of(text, literals=None):
    """The text without comments and without the contents of strings, but with the code of their interpolations.

    The contents are added to `literals` when it is given."""
    out, at, end = [], 0, len(text)
    # By open string: the line on which it begins, and its contents so far.
    contents = []
    # Open strings, each with its delimiter and number of `#`, and the depth of parentheses within an interpolation.
    strings = []
    depth = [0]
    opening = re.compile(r'(#*)("""|")')
    while at < end:
        if strings and strings[-1][2]:  # the contents of a string
            quote, marks, _ = strings[-1]
            if text.startswith(quote + "#" * marks, at):
                at += len(quote) + marks
                strings.pop()
                out.append('""')
                if literals is not None:
                    line, parts = contents.pop()
                    literals.append((line, "".join(parts)))
            elif text.startswith("\\" + "#" * marks + "(", at):
                at += marks + 2
                strings[-1] = (quote, marks, False)
                depth.append(0)
                out.append(" (")
                if contents:
                    contents[-1][1].append(PLACEHOLDER)
            elif text[at] == "\\" and not marks:
                at += 2
            else:
                if text[at] == "\n":
                    out.append("\n")
                if contents:
                    contents[-1][1].append(text[at])
                at += 1
            continue
        if text.startswith("//", at):
            stop = text.find("\n", at)
            at = end if stop < 0 else stop
            continue
        if text.startswith("/*", at):
            nested, at = 1, at + 2
            while at < end and nested:
                if text.startswith("/*", at):
                    nested, at = nested + 1, at + 2
                elif text.startswith("*/", at):
                    nested, at = nested - 1, at + 2
                else:
                    if text[at] == "\n":
                        out.append("\n")
                    at += 1
            continue
        found = opening.match(text, at)
        if found and (not found.group(1) or text[at] == "#"):
            strings.append((found.group(2), len(found.group(1)), True))
            if literals is not None:
                contents.append((text.count("\n", 0, at) + 1, []))
            at = found.end()
            continue
        character = text[at]
        if character == "(":
            depth[-1] += 1
        elif character == ")":
            if depth[-1] == 0 and strings:
                depth.pop()
                quote, marks, _ = strings[-1]
                strings[-1] = (quote, marks, True)
                out.append(") ")
                at += 1
                continue
            depth[-1] -= 1
        out.append(character)
        at += 1
    return "".join(out)


class File:
    """What a file declares and what it names."""

    def __init__(self, path, text):
        self.path = path
        self.code = code_of(text)
        self.imports = IMPORT.findall(self.code)
        # What other files see: paths of types, names of functions and constants, members of extensions.
        self.types, self.globals, self.members = set(), set(), []
        # Every declared name with its number, for telling which are unique.
        self.declared = collections.Counter()
        # Types that are opened here, and names that mean something of the file's own.
        self.opened, self.own = set(), set()
        self.read()

    def read(self):
        # Bodies that are open: the path of their type (None in functions), whether it is an extension, and private.
        scopes = []
        pending = None
        for line in self.code.split("\n"):
            declaration = DECLARATION.match(line.strip())
            if declaration:
                scope = scopes[-1] if scopes else ("", False, False)
                pending = self.declare(declaration, scope, is_top_level=not scopes) or pending
                if declaration.group(2) in GENERIC:
                    for names in PARAMETERS.findall(line):
                        self.own.update(PARAMETER.match(name).group(1) for name in names.split(","))
            for character in line:
                if character == "{":
                    scopes.append(pending or (None, False, True))
                    pending = None
                elif character == "}" and scopes:
                    scopes.pop()

    def declare(self, found, scope, is_top_level):
        """Notes a declaration; gives what stands for its body in `scopes`, if it has one."""
        modifiers, kind, rest = found.groups()
        path, in_extension, hidden = scope
        is_private = hidden or bool(re.search(r"\b(private|fileprivate)\b(?!\(set)", modifiers))
        if kind == "extension":
            name = re.match(r"[\w.]+", rest)
            if not name:
                return None
            self.opened.add(name.group())
            return name.group(), True, is_private
        name = re.match(r"`?(\w+)`?", rest)
        if kind in TYPES:
            if not name or path is None:
                return None
            whole = f"{path}.{name.group(1)}" if path else name.group(1)
            self.declared[name.group(1)] += 1
            self.opened.add(whole)
            if is_private:
                self.own.add(name.group(1))
            else:
                self.types.add(whole)
            return None if kind in {"typealias", "associatedtype"} else (whole, False, is_private)
        if kind in {"func", "var", "let"} and name:
            self.declared[name.group(1)] += 1
            if is_top_level and not is_private:
                self.globals.add(name.group(1))
            elif in_extension and path and not is_private:
                self.members.append((path, name.group(1), bool(re.search(r"\b(static|class)\b", modifiers))))
        if kind == "case":
            for case in re.findall(r"(\w+)", rest):
                self.declared[case] += 1
        return (None, False, True) if kind in {"func", "init", "subscript", "var", "let"} and "{" in rest else None


class Target:
    def __init__(self, folder):
        self.name, self.folder, self.files = os.path.basename(folder), folder, []
        for place, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".swift"):
                    path = os.path.join(place, name)
                    with open(path, encoding="utf-8") as file:
                        self.files.append(File(os.path.relpath(path, folder), file.read()))

    def references(self):
        """(file, file that declares, name) for every name of another file that a file uses."""
        homes, names, declared = collections.defaultdict(set), collections.defaultdict(set), collections.Counter()
        for file in self.files:
            declared.update(file.declared)
            for path in file.types:
                homes[path].add(file.path)
            for name in file.globals:
                names[name].add(file.path)
        # What is nested in a type, for telling `State` in it from a `State` at the top level.
        nested = collections.defaultdict(set)
        for path in homes:
            outer, _, name = path.rpartition(".")
            if outer:
                nested[outer].add(name)
        # Members of extensions that stand in other files than their type, if their name is theirs alone.
        members = collections.defaultdict(set)
        for file in self.files:
            for path, name, is_static in file.members:
                if declared[name] == 1 and path not in file.types:
                    members[name].add((file.path, path, is_static))
        for file in self.files:
            own = set(file.own)
            for path in file.opened:
                while path:
                    own |= nested[path]
                    path = path.rpartition(".")[0]
            seen = set()
            for found in PATH.finditer(file.code):
                whole = found.group(1)
                first = whole.split(".")[0]
                if first in own and not any(path == first for path in file.opened):
                    continue
                parts = whole.split(".")
                for count in range(1, len(parts) + 1):
                    path = ".".join(parts[:count])
                    if len(homes.get(path, ())) and file.path not in homes[path]:
                        seen.update((home, path) for home in homes[path])
            for found in WORD.finditer(file.code):
                name = found.group()
                if name not in names and name not in members:
                    continue
                dot, before = self.before(file.code, found.start())
                if name in names and not dot and file.path not in names[name] and declared[name] == 1:
                    seen.update((home, name) for home in names[name])
                for home, path, is_static in members.get(name, ()):
                    if home != file.path and self.is_member(file, before, dot, path, is_static):
                        seen.add((home, f"{path}.{name}"))
            for home, name in sorted(seen):
                yield file.path, home, name

    @staticmethod
    def before(code, at):
        """Whether a dot stands before a name, and what stands before the dot: nothing for `.name` alone."""
        start = code[max(0, at - 200) : at].rstrip()
        if not start.endswith(".") or start.endswith(".."):
            return False, ""
        found = OWNER.search(start[:-1])
        return True, found.group(1) if found else ""

    @staticmethod
    def is_member(file, before, dot, path, is_static):
        """Whether a name can be this member of a type, by what stands before it."""
        if not dot or before in ("self", "Self"):
            return path in file.opened
        # A member without its type (`.milliseconds`) may be that of any type.
        if not before:
            return False
        return before == path.rpartition(".")[2] if is_static else not before[0].isupper()
