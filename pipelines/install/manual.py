#!/usr/bin/env python3
"""Writes the man pages of attest-audit: manual.py BINARY FOLDER.

Commands, arguments, options with their topics, and the examples of a command's help are the
program's own (`--experimental-dump-help`); what an argument parser cannot know, exit statuses, files
and further examples, stands in manual.txt beside this script. An option or command that manual.txt names and the program does not have is an error, so that neither
outlives the other. One page for the program and one for each command; the commands of a command
stand on its page. The date is SOURCE_DATE_EPOCH's, or today's. Prints the name of each page.
"""
import datetime
import json
import os
import re
import subprocess
import sys
import textwrap

SECTIONS = ["EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES"]


class ManualError(Exception):
    """What went wrong, and what to do about it."""

    def __init__(self, message, hint):
        super().__init__(message)
        self.hint = hint


# roff ---------------------------------------------------------------------------------------------

def escaped(text):
    """Text as roff prints it, letter by letter."""
    text = text.replace("\\", "\\e").replace("--", "\\-\\-")
    text = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in text)
    return re.sub(r"(?m)^(?=[.'])", r"\\&", text)


def literal(text):
    """The same, with every hyphen one that can be copied into a shell."""
    return escaped(text).replace("\\-", "-").replace("-", "\\-")


def prose(text):
    """A paragraph: one line for each 80 columns, `code` in bold."""
    lines = textwrap.wrap(" ".join(text.split()), 80, break_long_words=False, break_on_hyphens=False)
    parts = re.split(r"`([^`]+)`", "\n".join(lines))
    return "".join(
        f"\\fB{literal(part.replace(chr(10), ' '))}\\fR" if index % 2 else escaped(part)
        for index, part in enumerate(parts))


def paragraphs(text):
    """Paragraphs, `- term: text` lists and examples (four spaces in front), as manual.txt has them."""
    lines = []
    for block in re.split(r"\n[ \t]*\n", text.strip("\n")):
        if block.startswith("    "):
            lines += [".PP", ".RS 4", ".nf", literal(textwrap.dedent(block)), ".fi", ".RE"]
            continue
        for item in re.split(r"\n(?=- )", block):
            term = re.match(r"- (.+?): (.*)", item, re.S)
            if term:
                lines += [".TP", f".B {literal(term[1])}", prose(term[2])]
            else:
                lines += ([".PP"] if lines else []) + [prose(item)]
    return lines


# The program's own description --------------------------------------------------------------------

def shown(items):
    return [item for item in items or [] if item.get("shouldDisplay", True)]


def is_help(command):
    return command["commandName"] == "help"


def value(argument):
    return f"\\fI{literal(argument['valueName'])}\\fR"


def dashed(name):
    return name["name"] if name["kind"] == "positional" else (
        ("--" if name["kind"] == "long" else "-") + name["name"])


def synopsis(path, command):
    words = [f"\\fB{literal(' '.join(path))}\\fR"]
    arguments = shown(command.get("arguments"))
    if any(a["kind"] != "positional" for a in arguments):
        words.append("[\\fIoptions\\fR]")
    for argument in (a for a in arguments if a["kind"] == "positional"):
        word = value(argument) + (" ..." if argument["isRepeating"] else "")
        words.append(f"[{word}]" if argument["isOptional"] else word)
    if [c for c in shown(command.get("subcommands")) if not is_help(c)]:
        words.append("\\fIcommand\\fR ...")
    return " ".join(words)


def described(argument):
    text = " ".join(filter(None, [argument.get("abstract"), argument.get("discussion")]))
    values = argument.get("allValues") or argument.get("allValueStrings")
    if values:
        text += f" (values: {', '.join(values)})"
    if argument.get("defaultValue") not in (None, ""):
        text += f" (default: {argument['defaultValue']})"
    return text


def arguments_of(command, kinds):
    """The arguments, and the options topic by topic, those without one last."""
    arguments = [a for a in shown(command.get("arguments"))
                 if (a["kind"] == "positional") == (kinds == "positional")]
    lines, topic = [], None
    for argument in sorted(arguments, key=lambda a: not a.get("sectionTitle")):
        if argument.get("sectionTitle", topic and "Other") != topic:
            topic = argument.get("sectionTitle", "Other")
            lines += [f".SS {literal(topic)}"]
        if argument["kind"] == "positional":
            term = value(argument)
        else:
            term = ", ".join(f"\\fB{literal(dashed(n))}\\fR" for n in argument["names"])
            if argument["kind"] == "option":
                term += " " + value(argument)
        lines += [".TP", term, prose(described(argument)) or "\\&"]
    return lines


def option_names(command):
    own = {dashed(n) for a in command.get("arguments", []) for n in a.get("names", [])}
    return own.union(*(option_names(c) for c in command.get("subcommands") or []))


# Pages --------------------------------------------------------------------------------------------

def nested(path, command):
    lines = []
    for child in shown(command.get("subcommands")):
        if is_help(child):
            continue
        name = [*path, child["commandName"]]
        lines += [f".SS {literal(' '.join(name[1:]))}", synopsis(name, child)]
        lines += about(child, ".PP")
        for kinds in ("positional", "named"):
            lines += arguments_of(child, kinds)
        lines += nested(name, child)
    return lines


def examples(command):
    """The examples of a command's help, as manual.txt would have them."""
    found = re.search(r"(?:\A|\n\n)Examples:\n(.*?)(?:\n\n|\Z)", command.get("discussion") or "", re.S)
    if not found:
        return ""
    return "".join(
        f"\n    {line.strip()}\n\n" if line.startswith("    ") else f"{line.strip()}\n"
        for line in found[1].split("\n"))


def about(command, first):
    lines = []
    for text in (command.get("abstract"), command.get("discussion")):
        for paragraph in re.split(r"\n\s*\n", text or ""):
            if paragraph.strip() and not paragraph.startswith("Examples:\n"):
                lines += ([".PP"] if lines else [first] if first else []) + [prose(paragraph)]
    return lines


def page(path, command, sections, version, date):
    name = "-".join(path)
    abstract = command.get("abstract", "").rstrip(".")
    lines = [
        f'.TH {literal(name).upper()} 1 "{date}" "{literal(version)}" "User Commands"',
        ".SH NAME", f"{literal(name)} \\- {escaped(abstract[:1].lower() + abstract[1:])}",
        ".SH SYNOPSIS", synopsis(path, command), ".SH DESCRIPTION", *about(command, None)]
    for title, kinds in (("ARGUMENTS", "positional"), ("OPTIONS", "named")):
        block = arguments_of(command, kinds)
        lines += [f".SH {title}", *block] if block else []
    commands = [c for c in shown(command.get("subcommands")) if not is_help(c)]
    if commands and len(path) == 1:
        lines += [".SH COMMANDS"]
        for child in commands:
            lines += [".TP", f".BR {literal(name + '-' + child['commandName'])} (1)",
                      prose(child.get("abstract", ""))]
    elif commands:
        lines += [".SH COMMANDS", *nested(path, command)]
    for title in SECTIONS:
        text = sections.get((path[-1], title)) or sections.get(("*", title))
        lines += [f".SH {title}", *paragraphs(text)] if text else []
    return lines


def see_also(pages, name):
    others = [other for other in pages if other != name]
    return [".SH SEE ALSO"] + [
        f".BR {literal(other)} (1){',' if other != others[-1] else ''}" for other in others]


def read_sections(path):
    """The blocks of manual.txt: (command or *, title) → text. `[audit check: FILES]` opens one."""
    sections, current = {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            head = re.fullmatch(r"\[([a-z* -]+): ([A-Z ]+)\]", line.strip())
            if head:
                if head[2] not in SECTIONS:
                    raise ManualError(f"manual.txt has a section {head[2]}",
                                      f"there are {', '.join(SECTIONS)}")
                current = [(command, head[2]) for command in head[1].split()]
                for key in current:
                    sections[key] = ""
            elif current and not line.startswith("#"):
                for key in current:
                    sections[key] += line
    return sections


def check(sections, root):
    """Every command and option that manual.txt names is one of the program."""
    commands = {c["commandName"]: c for c in root.get("subcommands", [])}
    commands[root["commandName"]] = root
    for (command, title), text in sections.items():
        if command != "*" and command not in commands:
            raise ManualError(f"manual.txt, {title}: there is no command {command}",
                              "take it out of manual.txt, or give the program that command")
        for line in re.sub(r"\\\n\s*", "", text).split("\n"):
            call = re.search(rf"    .*\b{root['commandName']} ([a-z]+)\b(.*)", line)
            if not call:
                continue
            if call[1] not in commands:
                raise ManualError(f"manual.txt, {title}: there is no command {call[1]}",
                                  line.strip())
            # What stands behind a pipe is another program's.
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", call[2].split("|")[0]):
                if option not in option_names(commands[call[1]]):
                    raise ManualError(f"manual.txt, {title}: there is no option {option}",
                                      line.strip())


def output(binary, *arguments):
    try:
        return subprocess.run(
            [binary, *arguments], check=True, capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
        raise ManualError(f"{binary} does not describe itself", str(error)) from error


def pages_of(root, version, sections):
    """The lines of each page, by its name."""
    for child in shown(root.get("subcommands")):
        own = examples(child)
        if own:
            sections[child["commandName"], "EXAMPLES"] = own
    check(sections, root)
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.timezone.utc)
    date = (datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
            if seconds else now).strftime("%Y-%m-%d")
    name = root["commandName"]
    pages = {name: page([name], root, sections, version, date)}
    for child in shown(root.get("subcommands")):
        if not is_help(child):
            path = [name, child["commandName"]]
            pages["-".join(path)] = page(path, child, sections, version, date)
    return {title: lines + see_also(pages, title) for title, lines in pages.items()}


def main(binary, folder):
    sections = read_sections(os.path.join(os.path.dirname(os.path.abspath(__file__)), "manual.txt"))
    version = output(binary, "--version").strip()
    try:
        root = json.loads(output(binary, "--experimental-dump-help"))["command"]
        pages = pages_of(root, version, sections)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ManualError(f"{binary} does not describe itself", "is it attest-audit?") from error
    for title, lines in pages.items():
        with open(os.path.join(folder, f"{title}.1"), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        print(f"{title}.1")


if __name__ == "__main__":
    try:
        if len(sys.argv) != 3:
            raise ManualError("a binary and a folder are needed", "manual.py BINARY FOLDER")
        main(sys.argv[1], sys.argv[2])
    except ManualError as error:
        print(f"manual.py: error: {error}\nhint: {error.hint}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        print(f"manual.py: error: {error.strerror}: {error.filename}\n"
              "hint: the folder has to be there, and writable", file=sys.stderr)
        sys.exit(1)
