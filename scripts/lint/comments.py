"""Wraps paragraphs of comments in Swift that have a line over the limit. Code stays as it is."""

import re
import textwrap

COMMENT = re.compile(r"^(\s*)(///?)(?: (.*))?$")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) ")


def wrapped(lines, columns):
    """The lines of a file, with paragraphs of comments wrapped where one of their lines is too long."""
    out, paragraph, in_code = [], [], False

    def finish():
        if any(len(line) > columns for line in paragraph):
            indent, mark, first = COMMENT.match(paragraph[0]).groups()
            text = " ".join(COMMENT.match(line).group(3).strip() for line in paragraph)
            lead = re.match(r"\s*", first).group()
            item = ITEM.match(first)
            prefix = f"{indent}{mark} "
            rest = prefix + (" " * len(item.group()) if item else lead)
            out.extend(
                textwrap.wrap(
                    text,
                    columns,
                    initial_indent=prefix + lead,
                    subsequent_indent=rest,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
            )
        else:
            out.extend(paragraph)
        paragraph.clear()

    for line in lines:
        found = COMMENT.match(line)
        text = found.group(3) if found else None
        if found and text and text.lstrip().startswith("```"):
            in_code = not in_code
        is_prose = found and text and not in_code and not text.startswith(("    ", "MARK:", "```", "swift-format"))
        if not is_prose:
            finish()
            out.append(line)
            continue
        if paragraph:
            last = COMMENT.match(paragraph[-1])
            if last.group(1, 2) != found.group(1, 2) or ITEM.match(text):
                finish()
        paragraph.append(line)
    finish()
    return out
