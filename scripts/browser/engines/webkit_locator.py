"""Elements of a page in WebKit, found anew for each use, and what people do with them."""
import os
import tempfile
import time

from playwright.sync_api import TimeoutError
from selenium.common import exceptions
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

KEYS = {"Enter": Keys.ENTER, "Escape": Keys.ESCAPE, "Tab": Keys.TAB, "PageUp": Keys.PAGE_UP, "PageDown": Keys.PAGE_DOWN,
        "ArrowLeft": Keys.ARROW_LEFT, "ArrowRight": Keys.ARROW_RIGHT, "ArrowUp": Keys.ARROW_UP,
        "ArrowDown": Keys.ARROW_DOWN, "F2": Keys.F2, "Delete": Keys.DELETE, "Backspace": Keys.BACKSPACE}
# The element is not there yet, not any more, or below another one: a moment later it may be.
PASSING = (exceptions.StaleElementReferenceException, exceptions.ElementNotInteractableException,
           exceptions.ElementClickInterceptedException, exceptions.NoSuchElementException,
           exceptions.MoveTargetOutOfBoundsException)
PAUSE = 0.03


class Locator:
    """
    :param steps: how the elements are found, for elements.js
    :param frame: the locator of the frame whose document they are in
    """

    def __init__(self, page, steps=(), frame=None):
        self.page, self.steps, self.frame = page, tuple(steps), frame

    def __repr__(self):
        return " ".join(str(value) for _, value in self.steps)

    def then(self, *steps):
        return Locator(self.page, self.steps + steps, self.frame)

    def locator(self, selector, has_text=None):
        found = self
        for number, part in enumerate(selector.split(" >> ")):
            found = found.then(("at", int(part.removeprefix("nth="))) if number else ("css", part))
        return found.filter(has_text) if has_text else found

    def filter(self, has_text):
        return self.then(("hasText", has_text))

    def get_by_text(self, text):
        return self.then(("text", text))

    def nth(self, number):
        return self.then(("at", number))

    @property
    def first(self):
        return self.nth(0)

    @property
    def last(self):
        return self.nth(-1)

    def all(self):
        return [self.nth(number) for number in range(self.count())]

    # What they are.

    def run(self, code, *values):
        return self.page.run(code, self.steps, *values, frame=self.frame)

    def until(self, what, ask, timeout=None):
        """What `ask` gives, as soon as it gives something that is not None."""
        end, why = time.monotonic() + (timeout or self.page.timeout) / 1000, None
        while True:
            try:
                found = ask()
                if found is not None:
                    return found
            except PASSING as error:
                why = error
            if time.monotonic() > end:
                raise TimeoutError(f"{self}: {what}") from why
            time.sleep(PAUSE)

    def read(self, expression, *values):
        """The value of an expression about `one`, the first element, as soon as there is one."""
        code = f"const [steps, ...values] = arguments, [one] = find(steps); return one ? [{expression}] : null;"
        return self.until("is not there", lambda: self.run(code, *values))[0]

    def count(self):
        return self.run("return find(arguments[0]).length;")

    def is_visible(self):
        return self.run("const [one] = find(arguments[0]); return Boolean(one) && isVisible(one);")

    def is_hidden(self):
        return not self.is_visible()

    def inner_text(self):
        return self.read("one.innerText")

    def input_value(self):
        return self.read("one.value")

    def get_attribute(self, name):
        return self.read("one.getAttribute(values[0])", name)

    def evaluate(self, function):
        return self.read(f"({function})(one)")

    def bounding_box(self):
        return self.read("one.getBoundingClientRect().toJSON()")

    def all_inner_texts(self):
        return self.run("return find(arguments[0]).map((one) => one.innerText);")

    def all_text_contents(self):
        return self.run("return find(arguments[0]).map((one) => one.textContent);")

    # What is done with them.

    def use(self, act, state="enabled", timeout=None):
        """Calls `act` with the first element as soon as it is in a state: attached, visible, or enabled."""
        code = """const [steps, state] = arguments, [one] = find(steps);
          if (!one || !isIn(state, one)) return null;
          return one;"""

        def attempt():
            with self.page.within(self.frame):
                element = self.page.run(code, self.steps, state)
                return None if element is None else (act(element),)
        return self.until(f"is not {state}", attempt, timeout)[0]

    def wait_for(self, state="visible", timeout=None):
        if state in ("detached", "hidden"):
            code = "const [one] = find(arguments[0]); return one && (arguments[1] || isVisible(one)) ? null : true;"
            self.until(f"is not {state}", lambda: self.run(code, state == "detached"), timeout)
        else:
            self.use(lambda element: None, state, timeout)

    def scroll_into_view_if_needed(self):
        self.read("one.scrollIntoView({ block: 'nearest', behavior: 'instant' })")

    def tap(self, element):
        # The driver scrolls as smoothly as the page's style says, and does not wait for the end.
        self.page.run("reveal(...arguments);", element, False)
        try:
            element.click()
        except exceptions.ElementClickInterceptedException:  # a bar is above it
            self.page.run("reveal(...arguments);", element, True)
            raise

    def click(self):
        self.use(self.tap)

    def dblclick(self):
        self.use(lambda element: ActionChains(self.page.driver).double_click(element).perform())

    def focus(self):
        self.read("one.focus()")

    def press_sequentially(self, text):
        self.use(lambda element: element.send_keys(text))

    def is_checked(self):
        return self.read("one.checked")

    def check(self, force=False):
        """`force` presses it by a script: it need not be in sight."""
        if force:
            self.read("one.checked || one.click()")
        else:
            self.use(lambda element: element.is_selected() or self.tap(element))

    def press(self, key):
        self.use(lambda element: element.send_keys(KEYS.get(key, key)))

    def fill(self, text):
        self.use(lambda element: self.page.run("type(...arguments);", element, text))

    def select_option(self, value=None, index=None):
        code = "choose(arguments[0], (option, index) => arguments[1] === null ? index === arguments[2] : option.value === arguments[1]);"
        self.use(lambda element: self.page.run(code, element, value, index))

    def set_input_files(self, files):
        """:param files: a path, or what is to be written as files: their names and contents"""
        if isinstance(files, str):
            paths = [files]
        else:
            folder = tempfile.mkdtemp(dir=self.page.context.folder)
            paths = [os.path.join(folder, file["name"]) for file in files]
            for path, file in zip(paths, files):
                with open(path, "wb") as output:
                    output.write(file["buffer"])
        self.use(lambda element: element.send_keys("\n".join(paths)), "attached")


class FrameLocator:
    def __init__(self, page, selector):
        self.frame = Locator(page, [("css", selector)])

    def locator(self, selector):
        return Locator(self.frame.page, [], self.frame).locator(selector)

    def get_by_text(self, text):
        return Locator(self.frame.page, [("text", text)], self.frame)
