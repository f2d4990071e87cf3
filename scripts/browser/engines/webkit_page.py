"""A page in WebKit: a window of the host."""
import contextlib
import fnmatch
import os
import re
import time
import types
import urllib.parse

from playwright.sync_api import Error, TimeoutError
from selenium.common import exceptions
from selenium.webdriver import ActionChains

from engines.webkit_locator import FrameLocator, KEYS, Locator, PAUSE
from support.serve import web_call

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "elements.js")) as file:
    ELEMENTS = file.read()
FUNCTION = re.compile(r"\s*(\([^()]*\)|\w+)\s*=>")
STATEMENT = re.compile(r"\s*(for|delete|if|const)\b")

# Whether the document stays: another one is on its way when it is not whole.
SETTLED = "document.readyState === 'complete'"


class Page:
    def __init__(self, context, handle, number):
        self.context, self.handle, self.number, self.driver = context, handle, number, context.driver
        self.timeout = 30_000
        #: Whether a page came and is all there, since it was last set to false.
        self.has_come = self.is_whole = False
        self.keyboard, self.mouse, self.request = Keyboard(self), Mouse(self), Requests(context)
        self.on = context.on

    def set_default_timeout(self, timeout):
        self.timeout = timeout

    # What stands behind all else.

    def attend(self):
        """Turns the driver to this window; what happened since is handed on."""
        self.context.hear()
        if self.context.attended is not self:
            self.driver.switch_to.window(self.handle)
            self.context.attended = self

    def run(self, code, *values, frame=None):
        """Runs statements behind elements.js; gives what they return."""
        self.attend()
        end = time.monotonic() + self.timeout / 1000
        with self.within(frame):
            while True:
                try:
                    return self.driver.execute_script(f"{ELEMENTS}{code}", *values)
                except exceptions.JavascriptException as error:
                    raise Error(f"the context was destroyed, or: {error.msg}") from error
                except exceptions.TimeoutException:  # its page went
                    if time.monotonic() > end:
                        raise

    @contextlib.contextmanager
    def within(self, frame):
        if frame is None:
            yield
            return
        self.driver.switch_to.frame(frame.use(lambda element: element, "attached"))
        try:
            yield
        finally:
            self.driver.switch_to.default_content()

    def evaluate(self, script, value=None):
        if FUNCTION.match(script):
            return self.run(f"return ({script})(arguments[0]);", value)
        return self.run(script if STATEMENT.match(script) else f"return ({script});")

    def eval_on_selector(self, selector, function):
        return self.locator(selector).evaluate(function)

    # Where it is.

    @property
    def url(self):
        self.attend()
        return self.driver.current_url

    def title(self):
        return self.evaluate("document.title")

    def content(self):
        return self.evaluate("document.documentElement.outerHTML")

    def goto(self, address):
        self.attend()
        if self.context.pending:
            self.driver.get(urllib.parse.urljoin(address, "/assets/none"))
            self.context.set_cookies()
        self.driver.get(address)
        address = self.url
        self.context.hear()
        return types.SimpleNamespace(status=self.context.statuses.get(address))

    def reload(self):
        self.attend()
        self.driver.refresh()

    def go_back(self):
        # After the driver's own command no script answers.
        with self.expect_navigation():
            self.evaluate("setTimeout(() => history.back(), 0)")

    @contextlib.contextmanager
    def expect_navigation(self, wait_until="load"):
        self.context.hear()
        self.has_come = self.is_whole = False
        before = self.url
        yield
        end = time.monotonic() + self.timeout / 1000
        while not self.is_whole:
            for _ in range(20):
                if not self.is_whole:
                    self.wait_for_timeout(10)
            # A script may take the page to another address without a load, as `history.pushState` does.
            if not self.has_come and self.url != before and self.evaluate(SETTLED):
                break
            if time.monotonic() > end:
                raise TimeoutError("no other page came")

    def heard(self, window, state, **_):
        """The host says how far a window is (WebKitLoadEvent)."""
        if window == self.number:
            self.has_come |= state == "committed"
            self.is_whole |= self.has_come and state == "finished"

    def until(self, expression, what):
        """Waits, while pages go and come."""
        end = time.monotonic() + self.timeout / 1000
        while True:
            with contextlib.suppress(Error):  # the page goes to another
                if self.evaluate(expression):
                    return
            if time.monotonic() > end:
                raise TimeoutError(what)
            time.sleep(PAUSE)

    def wait_for_load_state(self, state="load"):
        self.until("document.readyState === 'complete'", "the page does not load")

    def wait_for_url(self, pattern):
        end = time.monotonic() + self.timeout / 1000
        while not fnmatch.fnmatchcase(self.url, pattern):
            if time.monotonic() > end:
                raise TimeoutError(f"{self.url} is not {pattern}")
            time.sleep(PAUSE)
        self.wait_for_load_state()

    def wait_for_selector(self, selector, state="visible"):
        self.locator(selector).wait_for(state)

    def wait_for_timeout(self, milliseconds):
        time.sleep(milliseconds / 1000)
        self.context.hear()

    # What is on it.

    def locator(self, selector, has_text=None):
        return Locator(self).locator(selector, has_text)

    def frame_locator(self, selector):
        return FrameLocator(self, selector)

    def get_by_text(self, text):
        return Locator(self).get_by_text(text)

    @contextlib.contextmanager
    def expect_download(self):
        downloads = self.context.downloads
        known, download = len(downloads), types.SimpleNamespace()
        yield download
        end = time.monotonic() + self.timeout / 1000
        while len(downloads) == known:
            if time.monotonic() > end:
                raise TimeoutError("nothing is downloaded")
            self.wait_for_timeout(20)
        download.value = types.SimpleNamespace(path=lambda: downloads[known])

    def set_viewport_size(self, size):
        self.attend()
        self.driver.set_window_rect(0, 0, size["width"], size["height"])

    def screenshot(self, path, **_):
        """:param _: all of the page; a driver takes a picture of what is in sight"""
        self.attend()
        self.driver.save_screenshot(path)

    def close(self):
        self.attend()
        self.driver.close()
        self.context.pages.remove(self)
        self.context.attended = None


def of_first(name):
    """What is done with the first element that has a selector."""
    return lambda page, selector, *values, **named: getattr(page.locator(selector).first, name)(*values, **named)


for method in ("click", "dblclick", "check", "fill", "press", "select_option", "set_input_files", "input_value",
               "inner_text", "get_attribute"):
    setattr(Page, method, of_first(method))


class Keyboard:
    def __init__(self, page):
        self.page = page

    def press(self, key):
        self.type([KEYS.get(key, key)])

    def type(self, keys):
        self.page.attend()
        actions = ActionChains(self.page.driver)
        for key in keys:
            actions.key_down(key).key_up(key)
        actions.perform()


class Mouse:
    def __init__(self, page):
        self.page = page

    def click(self, x, y):
        self.page.attend()
        actions = ActionChains(self.page.driver)
        actions.w3c_actions.pointer_action.move_to_location(int(x), int(y))
        actions.w3c_actions.pointer_action.click()
        actions.perform()

    def wheel(self, x, y):
        self.page.evaluate(f"scrollBy({x}, {y})")


class Requests:
    """Requests with the cookies of a context, which no page sends."""

    def __init__(self, context):
        self.context = context

    def fetch(self, address, method="GET", headers=None):
        parts = urllib.parse.urlsplit(address)
        cookies = "; ".join(f"{one['name']}={one['value']}" for one in self.context.cookies())
        status, content, _ = web_call(parts.port, method, parts._replace(scheme="", netloc="").geturl(),
                                      headers={**(headers or {}), "Cookie": cookies})
        return types.SimpleNamespace(status=status, body=lambda: content)

    get = fetch
