"""WebKitGTK behind that part of Playwright's interface which the stories use: Playwright drives only its own build of it.

WebKitWebDriver holds one session, so each context is a driver and a host (webkit_host.py) of its own.
"""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import types

from selenium import webdriver
from selenium.webdriver.webkitgtk.service import Service

from engines.webkit_page import Page

DRIVER = "/usr/bin/WebKitWebDriver"
HOST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "webkit_host.py")
# A script whose page went before it answered never does.
SCRIPT_SECONDS = 2
# What the host writes of the console: kind of message, level, text.
CONSOLE = re.compile(r"CONSOLE (\w+) (\w+) (.*)")


class Browser:
    """A display, which all contexts share."""

    def __init__(self):
        self.display = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1400x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.name = ":" + self.display.stdout.readline().strip()

    def new_context(self, viewport, locale, java_script_enabled=True, **_):
        """:param _: touch and the colour scheme; see LACKS"""
        return Context(self, viewport, locale, java_script_enabled)

    def close(self):
        self.display.terminate()
        self.display.wait()


class Context:
    def __init__(self, browser, viewport, locale, has_scripts):
        self.browser, self.viewport = browser, viewport
        self.folder = tempfile.mkdtemp(prefix="fundmail-webkit-")
        options = webdriver.WebKitGTKOptions()
        options.binary_location = HOST
        for word in ("--automation", self.folder, locale, *([] if has_scripts else ["--no-scripts"])):
            options.add_argument(word)
        console = os.path.join(self.folder, "console")
        # The driver leaves the host behind: both are a group of their own.
        self.service = Service(DRIVER, log_output=console, env={**os.environ, "DISPLAY": browser.name},
                               popen_kw={"start_new_session": True})
        self.driver = webdriver.WebKitGTK(options=options, service=self.service)
        self.driver.set_script_timeout(SCRIPT_SECONDS)
        self.pages, self.handlers, self.downloads, self.pending = [], [], [], []
        self.opened, self.statuses = 0, {}
        #: The page whose window the driver is turned to.
        self.attended = None
        self.logs = [open(os.path.join(self.folder, "events")), open(console, errors="replace")]

    def new_page(self):
        if self.pages:
            self.driver.switch_to.new_window("window")
        page = self.attended = Page(self, self.driver.current_window_handle, self.opened)
        self.opened += 1
        self.pages.append(page)
        page.set_viewport_size(self.viewport)
        return page

    def on(self, kind, handler):
        """:param kind: request, response, or console, of all pages; nothing else is known here"""
        if kind not in ("request", "response", "console", "pageerror"):
            raise NotImplementedError(f"WebKit tells nothing of {kind}")
        if (kind, handler) not in self.handlers:
            self.handlers.append((kind, handler))

    def hear(self):
        """Hands on what happened since."""
        events, console = self.logs
        for line in events.readlines():
            event = json.loads(line)
            if event["kind"] == "download":
                self.downloads.append(event["path"])
            elif event["kind"] == "page":
                for page in self.pages:
                    page.heard(**event)
            elif event["kind"] == "request":
                self.tell("request", types.SimpleNamespace(**event))
            else:
                self.statuses[event["url"]] = event["status"]
                self.tell("response", types.SimpleNamespace(request=types.SimpleNamespace(**event), **event))
        for line in console.readlines():
            message = CONSOLE.search(line)
            if message:
                self.tell("console", types.SimpleNamespace(type=message[2].lower(), text=message[3]))

    def tell(self, kind, event):
        for wanted, handler in self.handlers:
            if wanted == kind:
                handler(event)

    def cookies(self):
        return [{"name": one["name"], "value": one["value"], "domain": one["domain"], "path": one["path"],
                 "expires": one.get("expiry", -1), "httpOnly": one["httpOnly"], "secure": one["secure"],
                 "sameSite": one.get("sameSite", "Lax")} for one in self.driver.get_cookies()]

    def add_cookies(self, cookies):
        """They are set before the next page: a driver takes cookies of the page that is open."""
        self.pending += cookies

    def set_cookies(self):
        for one in self.pending:
            cookie = {key: one[key] for key in ("name", "value", "domain", "path", "httpOnly", "secure", "sameSite")}
            self.driver.add_cookie(cookie if one["expires"] < 0 else {**cookie, "expiry": int(one["expires"])})
        self.pending = []

    def close(self):
        self.hear()
        self.driver.quit()
        with contextlib.suppress(ProcessLookupError):  # both have ended
            os.killpg(self.service.process.pid, signal.SIGKILL)
        for log in self.logs:
            log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
