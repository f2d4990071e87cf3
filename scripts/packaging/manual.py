#!/usr/bin/env python3
"""Makes manual pages (section 1) of a program from its own help:

    scripts/packaging/manual.py PROGRAM FOLDER

PROGRAM is asked for `--experimental-dump-help`, the JSON that swift-argument-parser gives of all commands. FOLDER gets
NAME.1, and NAME-COMMAND.1 for each command below it; commands below those stand as sections in the page of theirs.
Dates come from SOURCE_DATE_EPOCH where it is set (https://reproducible-builds.org/specs/source-date-epoch/).
"""

import json
import os
import re
import subprocess
import sys
import time

# Hidden and built-in commands, which the parser adds to each program.
BUILT_IN = {"help"}


def escaped(text):
    """Text as troff takes it: no escapes, no control lines, and hyphens that can be copied (groff_char(7))."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti").replace("\"", "\\(dq")
    return "\n".join(("\\&" + line) if line.startswith(".") else line for line in text.split("\n"))


def command_words(command):
    return [*command.get("superCommands", []), command["commandName"]]


def page_name(words):
    """The page in which a command stands: that of the first two words."""
    return "-".join(words[:2])


def arguments_of(command):
    """The arguments that help shows; each once."""
    return [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]


def subcommands_of(command):
    return [below for below in command.get("subcommands", [])
            if below["commandName"] not in BUILT_IN and below.get("shouldDisplay", True)]


def spelled(name, value=None):
    """An option as it is typed, with its value."""
    dashes = "-" if name["kind"] in ("short", "longWithSingleDash") else "--"
    text = f"\\fB{escaped(dashes + name['name'])}\\fR"
    return f"{text} \\fI{escaped(value)}\\fR" if value else text


def usage(command, common):
    parts = [f"\\fB{escaped(' '.join(command_words(command)))}\\fR"]
    for argument in inverses_joined(arguments_of(command)):
        if argument in common:
            continue
        value = argument.get("valueName", "value")
        if argument["kind"] == "positional":
            part = f"\\fI{escaped(value)}\\fR"
        elif argument.get("preferredName"):
            part = spelled(argument["preferredName"], value if argument["kind"] == "option" else None)
        else:
            continue
        if argument.get("preferredName", {}).get("name") in ("help", "version"):
            continue
        if len(argument.get("names", [])) > 1 and argument["names"][-1]["name"].startswith("no-"):
            part = "|".join(spelled(name) for name in argument["names"])
        if argument.get("isRepeating"):
            part += " ..."
        parts.append(f"[{part}]" if argument.get("isOptional") else part)
    if subcommands_of(command):
        parts.append("\\fIcommand\\fR")
    return parts


def prose(text):
    """Paragraphs; what is indented stays as it was written."""
    lines, verbatim = [], False
    for line in text.strip("\n").split("\n"):
        if not line.strip():
            # An example ends with its last line, not at an empty one between two commands.
            lines.append("" if verbatim else ".PP")
            continue
        if line.startswith("  ") != verbatim:
            while lines and lines[-1] in ("", ".PP"):
                lines.pop()
            if verbatim:
                lines += [".fi", ".RE", ".PP"]
            else:
                lines += [".PP", ".RS 4", ".nf"]
            verbatim = not verbatim
        lines.append(escaped(line[2:] if verbatim else line))
    if verbatim:
        lines += [".fi", ".RE"]
    return lines


def described(argument):
    """One entry of a list of arguments: how it is typed, what it does, and its default."""
    value = argument.get("valueName", "value")
    if argument["kind"] == "positional":
        head = f"\\fI{escaped(value)}\\fR"
    else:
        names = argument.get("names", [])
        head = ", ".join(spelled(name, value if argument["kind"] == "option" else None) for name in names)
    text = argument.get("abstract", "").strip()
    if values := argument.get("allValues"):
        text += f" (values: {', '.join(values)})"
    if default := argument.get("defaultValue"):
        text += f" (default: {default})"
    lines = [".TP", head]
    lines += [escaped(text.strip())] if text else []
    if more := argument.get("discussion"):
        lines += [".RS", *prose(more), ".RE"]
    return lines


def options(command, common=()):
    """The arguments of a command, but for those that stand in its page once for all commands."""
    lines = []
    kinds = [("ARGUMENTS", ["positional"]), ("OPTIONS", ["option", "flag"])]
    for title, wanted in kinds:
        found = [argument for argument in arguments_of(command)
                 if argument["kind"] in wanted and argument not in common]
        if found:
            lines.append((title, [line for argument in inverses_joined(found) for line in described(argument)]))
    return lines


def inverses_joined(arguments):
    """`--admin` and `--no-admin` as one: the parser gives two that say the same."""
    joined = []
    for argument in arguments:
        before = joined[-1] if joined else {}
        names = [name["name"] for name in argument.get("names", [])]
        if names and names[0] in {f"no-{name['name']}" for name in before.get("names", [])}:
            joined[-1] = dict(before, names=[*before["names"], *argument["names"]])
        else:
            joined.append(argument)
    return joined


def common_options(command):
    """The options that each of the commands in a page takes."""
    below = subcommands_of(command)
    if not below:
        return []
    first, *others = [leaf for one in below for leaf in leaves(one)]
    return [argument for argument in arguments_of(first)
            if argument["kind"] != "positional" and all(argument in arguments_of(other) for other in others)]


def leaves(command):
    below = subcommands_of(command)
    return [leaf for one in below for leaf in leaves(one)] if below else [command]


def section(command, common):
    """A command that stands in the page of the one above it."""
    lines = [f".SS {escaped(' '.join(command_words(command)))}", escaped(command.get("abstract", "")).strip() or "\\&"]
    lines += [".PP", *synopsis(command, common)]
    if discussion := command.get("discussion"):
        lines += [".PP", *prose(discussion)]
    for _, listed in options(command, common):
        lines += listed
    for below in subcommands_of(command):
        lines += section(below, common)
    return lines


def synopsis(command, common=()):
    """The usage, wrapped by troff, with what is optional kept in one piece."""
    parts = [part.replace(" ", "\\ ") for part in usage(command, common)]
    return [".RS 4", ".ad l", ".nh", *parts, ".hy", ".ad b", ".RE"]


def page(command, root, version):
    words = command_words(command)
    name = page_name(words)
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    abstract = command.get("abstract", "").strip().rstrip(".")
    lines = [
        f".\\\" Made from the help of {root['commandName']}.",
        f".TH \"{escaped(name.upper())}\" 1 {date} \"{escaped(version)}\" \"User commands\"",
        ".SH NAME", f"{escaped(name)} \\- {escaped(abstract[:1].lower() + abstract[1:])}",
        ".SH SYNOPSIS", *synopsis(command),
    ]
    if discussion := command.get("discussion"):
        lines += [".SH DESCRIPTION", *prose(discussion)]
    others, common = subcommands_of(command), common_options(command) if len(words) > 1 else []
    for title, listed in options(command, common):
        lines += [f".SH {title}", *listed]
    if others:
        lines.append(".SH COMMANDS")
        for below in others:
            if len(words) == 1:
                title = f"\\fB{escaped(page_name(command_words(below)))}\\fR(1)"
                lines += [".TP", title, escaped(below.get("abstract", ""))]
            else:
                lines += section(below, common)
    if common:
        lines += [".SH OPTIONS OF ALL THESE COMMANDS", *(line for argument in common for line in described(argument))]
    if len(words) > 1:
        lines += [".SH SEE ALSO", f"\\fB{escaped(root['commandName'])}\\fR(1)"]
    text = "\n".join(lines) + "\n"
    return name, re.sub(r"\n(?:\.PP\n)+(?=\.(?:PP|SH|SS|TP|RS))", "\n", text)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]

    def ask(option):
        return subprocess.run([program, option], check=True, stdout=subprocess.PIPE, text=True).stdout

    root = json.loads(ask("--experimental-dump-help"))["command"]
    version = ask("--version").strip()
    os.makedirs(folder, exist_ok=True)
    commands = [root, *subcommands_of(root)]
    for command in commands:
        name, text = page(command, root, version)
        with open(os.path.join(folder, f"{name}.1"), "w", encoding="utf-8") as file:
            file.write(text)
    print(f"{root['commandName']}: {len(commands)} manual pages in {folder}")


if __name__ == "__main__":
    main()
