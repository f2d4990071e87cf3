"""Documents as pages: Markdown (as GitHub reads it), the OpenAPI document, and the help of a command."""

import html
import os
import posixpath
import re

from markdown_it import MarkdownIt

from pages import NAMES

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
PICTURES = (".png", ".webp")


class Document:
    """The HTML of a page, its headings, the words below each, and what it links to."""

    def __init__(self, source):
        self.source = source
        self.title = source
        self.html = ""
        # (level, anchor, title), from the first heading on.
        self.headings = []
        # (anchor, title, words) for the search.
        self.sections = []
        # (line, target) of links within the repository that lead to nothing here; pages look at anchors.
        self.broken = []
        # (line, name of the page, anchor).
        self.links = []
        # Paths of pictures in the repository.
        self.pictures = set()
        self._anchors = {}

    def anchor(self, title):
        """The anchor that GitHub gives a heading: equal ones are numbered."""
        slug = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        count = self._anchors.get(slug, 0)
        self._anchors[slug] = count + 1
        return f"{slug}-{count}" if count else slug

    def add_heading(self, level, title):
        anchor = self.anchor(title)
        self.headings.append((level, anchor, title))
        self.sections.append([anchor, title, []])
        if level == 1 and len(self.headings) == 1:
            self.title = title
        return anchor

    def add_words(self, text):
        if self.sections:
            self.sections[-1][2].append(text)


def words_of(inline):
    """The text of an inline token without its markup."""
    return "".join(child.content if child.type in ("text", "code_inline") else " " if child.type.endswith("break") else ""
                   for child in inline.children or [])


def markdown(source, text, root):
    document = Document(source)
    tokens = MARKDOWN.parse(text)
    line = 1
    for index, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else line
        if token.type == "heading_open":
            token.attrSet("id", document.add_heading(int(token.tag[1]), words_of(tokens[index + 1])))
        elif token.type == "inline":
            if tokens[index - 1].type != "heading_open":
                document.add_words(words_of(token))
            for child in token.children or []:
                if child.type == "link_open":
                    child.attrSet("href", target(child.attrGet("href"), document, line, root))
                elif child.type == "image":
                    child.attrSet("src", picture(child.attrGet("src"), document, line, root))
                elif child.type == "html_inline":
                    child.content = pictures_of(child.content, document, line, root)
        elif token.type == "html_block":
            token.content = pictures_of(token.content, document, line, root)
        elif token.type in ("fence", "code_block"):
            document.add_words(token.content)
    # What is wider than the window scrolls by itself, also with keys. A cell without a word heads nothing.
    text = MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})
    text = re.sub(r"<table>(.*?)</table>", r'<div class="wide" tabindex="0"><table>\1</table></div>', text, flags=re.S)
    document.html = text.replace("<pre>", '<pre tabindex="0">').replace("<th></th>", "<td></td>")
    return document


def target(href, document, line, root):
    """The address of a link on the site, which has its pages and pictures. One that leads to another file of the repository
    leads to nothing there and is an error: readers of the site do not have the file."""
    if re.match(r"[a-z]+:", href):
        return href
    if href.endswith(PICTURES):
        return picture(href, document, line, root)
    path, _, anchor = href.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(document.source), path)) if path else document.source
    if path not in NAMES:
        document.broken.append((line, href))
        return href
    document.links.append((line, NAMES[path], anchor))
    return f"{NAMES[path]}.html" + (f"#{anchor}" if anchor else "")


def picture(src, document, line, root):
    path = posixpath.normpath(posixpath.join(posixpath.dirname(document.source), src))
    if re.match(r"[a-z]+:", src) or not os.path.isfile(os.path.join(root, path)):
        document.broken.append((line, src))
        return src
    document.pictures.add(path)
    return f"pictures/{posixpath.basename(path)}"


def pictures_of(markup, document, line, root):
    return re.sub(r'\b(src|srcset)="([^"]+)"',
                  lambda found: f'{found[1]}="{picture(found[2], document, line, root)}"', markup)


def operations(source, text, _root):
    """The operations of the OpenAPI document, by their tags."""
    document = Document(source)
    groups, path, method = {}, None, None
    for line in text.split("\n"):
        if found := re.fullmatch(r"  (/\S+):", line):
            path = found[1]
        elif found := re.fullmatch(r"    (get|put|post|patch|delete):", line):
            method, operation = found[1].upper(), {}
        elif found := re.fullmatch(r"      (operationId|summary|tags): (.+)", line):
            operation[found[1]] = found[2].strip("[]\"")
            if len(operation) == 3:
                groups.setdefault(operation["tags"], []).append((method, path, operation["summary"]))
    count = sum(map(len, groups.values()))
    if count != text.count("      operationId: "):
        raise SystemExit(f"{source}: {text.count('      operationId: ')} operations, of which {count} are understood")
    document.add_heading(1, "Operations of the web API")
    lead = ("Each server has the whole document, with all parameters and answers, at /api/openapi.yaml. What holds between "
            "the calls:")
    parts = [f"<h1 id=\"{document.headings[0][1]}\">{document.title}</h1>\n<p>{lead} <a href=\"web-api.html\">Web API</a>; "
             "the document itself: <a href=\"openapi.yaml\">openapi.yaml</a>.</p>"]
    for tag, entries in groups.items():
        anchor = document.add_heading(2, tag.capitalize())
        rows = []
        for method, path, summary in entries:
            document.add_words(f"{method} {path} {summary}")
            rows.append(f"<tr><td><code>{method}</code></td><td><code>{html.escape(path)}</code></td>"
                        f"<td>{html.escape(summary)}</td></tr>")
        head = "<thead><tr><th>method</th><th>path</th><th>what it does</th></tr></thead>"
        parts.append(f"<h2 id=\"{anchor}\">{html.escape(tag.capitalize())}</h2>\n<div class=\"wide\" tabindex=\"0\"><table>"
                     f"{head}<tbody>{''.join(rows)}</tbody></table></div>")
    document.html = "\n".join(parts)
    return document


def command_help(source, text, _root):
    """The help of a command and of those below it, of which each begins with `$ fund … --help`."""
    document = Document(source)
    parts = []
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        first, _, body = part.partition("\n")
        words = first.removesuffix(" --help")
        level = 1 if not parts else 2
        anchor = document.add_heading(level, f"The command {words}" if level == 1 else words)
        document.add_words(body)
        parts.append(f"<h{level} id=\"{anchor}\">{html.escape(document.headings[-1][2])}</h{level}>\n"
                     f"<pre tabindex=\"0\"><code>{html.escape(body.strip())}</code></pre>")
    document.html = "\n".join(parts)
    return document


def read(source, root):
    with open(os.path.join(root, source), encoding="utf-8") as file:
        text = file.read()
    kinds = {".md": markdown, ".yaml": operations, ".txt": command_help}
    return kinds[os.path.splitext(source)[1]](source, text, root)
