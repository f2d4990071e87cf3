"""One browser that tells a story, and what is wrong with what it shows."""
import os
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error

from support.serve import PASSWORD

SHOTS = os.path.join(".build", "pages", "shots")
# WCAG 2.2, 2.5.8 at AA: pixels, or as much room around a smaller one. Links within a sentence may be smaller.
LEAST_TARGET = 24
# Of what administrators touch: a finger gets as much everywhere.
LEAST_TOUCHED, TOUCHED = 44, ("/desk", "/office", "/setup")
SMALL_TARGETS = """least => {
  const targets = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
    .filter((one) => one.checkVisibility() && !one.matches('.skip, .hidden'))
    .map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width > 1 && box.height > 1);
  const isNear = (x, y, box) => Math.hypot(
    Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom)) < least / 2;
  // A box of which the label can be hit, and a link or chip that reaches beyond its own box.
  const reach = (one) => {
    const own = one.getBoundingClientRect(), after = getComputedStyle(one, '::after');
    if (after.content === 'none' || after.position !== 'absolute') return own;
    return { width: Math.max(own.width, parseFloat(after.width)), height: Math.max(own.height, parseFloat(after.height)) };
  };
  return targets.filter(([one, box]) => {
    const label = one.closest('label'), hits = [reach(one), ...(label ? [reach(label)] : [])];
    const isLarge = ['width', 'height'].every((side) => hits.some((hit) => hit[side] >= least));
    // A link in a sentence is as large as the line (WCAG 2.2 §2.5.8).
    if (isLarge || one.closest('p, small, dd, .text')) return false;
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    return targets.some(([other, around]) => other !== one && isNear(x, y, around));
  }).slice(0, 3).map(([one, box]) => `${Math.round(box.width)}×${Math.round(box.height)} ${one.outerHTML.slice(0, 120)}`);
}"""
# The digest of `body {}`, which Playwright adds before it takes a picture in Firefox, and our policy blocks.
PLAYWRIGHTS_STYLE = "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA="
AXE = Axe().axe_script
# Little of what it found: all of it is megabytes. Rules whose violations are never serious are not run.
VIOLATIONS = """(options) => {
  const { rules, tagExclude } = axe._audit;
  options.runOnly ??= { type: 'rule', values: rules.filter(({ enabled, impact, tags }) => enabled
    && ['serious', 'critical'].includes(impact) && !tags.some((tag) => tagExclude.includes(tag))).map(({ id }) => id) };
  return axe.run(document, options).then(({ violations }) =>
    violations.map(({ impact, id, nodes }) => [impact, id, nodes[0].html.slice(0, 200)]));
}"""
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
# What sticks out of the screen to the right, to be named.
WIDEST = """[...document.querySelectorAll('main *')].filter(one => one.getBoundingClientRect().right > innerWidth + 1)
  .slice(-1).map(one => one.outerHTML.slice(0, 160))[0]"""


class Visit:
    """
    :param case: the browser's kind
    :param story: for names of pictures
    """

    def __init__(self, browser, case, story, server):
        self.case, self.story, self.server = case, story, server
        self.user = self.reader = case.user
        self.has_scripts = case.has_scripts
        self.problems, self.allowed, self.acts, self.steps = [], [], [], 0
        self.tolerated = None  # how an error begins that the console may have
        self.context = browser.new_context(**case.options)
        self.page = self.follow(self.context.new_page())

    def follow(self, page):
        """Minds what a page asks for and says."""
        page.set_default_timeout(90_000)
        page.on("console", self.heard)
        page.on("pageerror", self.failed)
        page.on("request", self.asked)
        return page

    def heard(self, message):
        # A page that answers 4xx is told as an error, too, and so is a network that is down.
        # WebKit has its own words for what a page had asked for when it was left.
        is_left = message.text.endswith("due to access control checks.") and f"load {self.server.address}/" in message.text
        is_tolerated = self.tolerated is not None and message.text.startswith(self.tolerated)
        if message.type == "error" and "Failed to load resource" not in message.text and not (is_left or is_tolerated):
            self.problems.append(f"console: {message.text}")

    def failed(self, error):
        if PLAYWRIGHTS_STYLE not in str(error):
            self.problems.append(f"script: {error}")

    def asked(self, request):
        # The browser's own viewer of PDFs asks the browser.
        is_own = request.url.startswith((self.server.address + "/", *self.allowed))
        if not is_own and request.url.startswith(("http:", "https:", "ws:", "wss:", "ftp:")):
            self.problems.append(f"asked elsewhere: {request.url}")

    def press(self, what):
        """Something that leads to a page, and waits for that page."""
        with self.page.expect_navigation(wait_until="load"):
            (self.page.locator(what).first if isinstance(what, str) else what).click()

    def act(self, what):
        """Something that is done to rows: with scripts without a load, and a toast says what was done."""
        if not self.has_scripts:
            return self.press(what)
        self.page.evaluate("""() => {
          window.isStill = true;
          for (const done of document.querySelectorAll('.done')) done.dataset.old = '';
        }""")
        (self.page.locator(what).first if isinstance(what, str) else what).click()
        self.page.wait_for_selector(".toasts .done:not([data-old])")
        self.is_still()

    def is_still(self):
        self.expect("nothing was loaded anew", self.page.evaluate("window.isStill === true"))

    def choose(self, row, choice):
        """One choice in the menu of a row. Without scripts there is the page of the item instead."""
        self.open_menu(self.page.locator(row).first)
        self.page.locator(f"#rowmenu [data-for={choice}]").click()

    def open_menu(self, row):
        """The menu of a row, or of what is opened; what shows it comes with the first one."""
        row.locator("a.more").first.click()
        self.page.locator("#rowmenu").wait_for()

    # Steps are counted as a person counts them: a press that leads on. To open a menu and to choose in it is one, since
    # nothing is decided before; what is typed, and the Enter that ends it, belong to the step that opened the field.

    def step(self, act):
        """One step of those that `expect_steps` counts."""
        self.steps += 1
        act()

    def expect_steps(self, what, most):
        self.expect(f"{what} takes {most} steps: {self.steps}", self.steps == most)
        self.steps = 0

    def afterwards(self, act):
        """When the story has ended, in whatever way."""
        self.acts.append(act)

    def close(self):
        self.context.close()
        for act in self.acts:
            act()

    # What people do.

    def open(self, path):
        return self.page.goto(self.server.address + path)

    def sign_in(self, path=None, user=None, is_another=False):
        """Opens a page, and signs in there when this user has no session yet that goes on.

        :param path: None opens no page where the session goes on
        :param is_another: a session of its own, as at another device
        """
        self.reader = user = user or self.user
        if not is_another:
            self.context.add_cookies(self.server.sessions.get(user, []))
            if path is None and self.server.has_session(user):
                return
        path = path or "/library"
        self.open(path)
        if self.page.locator("#password").count():
            self.page.fill("#username", user)
            self.page.fill("#password", PASSWORD)
            self.press("main form[action='/sign-in'] button")
            if not is_another:
                self.server.sessions[user] = [cookie for cookie in self.context.cookies() if cookie["httpOnly"]]
        self.expect("one lands where one wanted", self.path.startswith(path.split("?")[0]))

    def another_browser(self):
        """A browser of its own, in which nobody is signed in."""
        other = Visit(self.context.browser, self.case, self.story, self.server)
        other.problems, other.allowed = self.problems, self.allowed
        return other

    def another(self, user=None):
        """The same person at another device: a visit with a browser of its own."""
        other = self.another_browser()
        other.sign_in(user=user, is_another=True)
        return other

    def open_fund(self, name="Fund1", tab=""):
        """A tab of a fund: that of its files, if none is named."""
        self.fund = f"{self.server.address}/library/funds/{self.server.api(self.reader).fund(name)}"
        self.page.goto(self.fund + tab)

    def menu(self, name):
        """Opens what a button of the page opens: a menu, or a form that floats."""
        self.page.click(f"[popovertarget='{name}']")

    def in_menu(self, name, what):
        """A choice in a menu, which leads to a page."""
        self.menu(name)
        self.press(f"#{name} {what}")

    def sign_out(self, page=None):
        """From the sidebar, or on a phone from what stands under More."""
        page = page or self.page
        if self.case.size == "phone":
            page.click("[popovertarget='everything']")
        with page.expect_navigation(wait_until="load"):
            page.click("#everything button" if self.case.size == "phone" else "#sign-out button")

    def row(self, text):
        return self.page.locator("li.row").filter(has_text=text)

    def download(self, act):
        """The bytes that come of an act."""
        with self.page.expect_download() as download:
            act()
        with open(download.value.path(), "rb") as file:
            return file.read()

    def until(self, script, seconds=90):
        """Waits for what a script says. `wait_for_function` would need a policy that allows `eval`."""
        end = time.monotonic() + seconds
        while True:
            try:
                if self.page.evaluate(script):
                    return
            except Error as error:
                if "context was destroyed" not in str(error):  # the page goes to another
                    raise
            if time.monotonic() > end:
                raise TimeoutError(script)
            self.page.wait_for_timeout(20)

    def wait(self, is_so, what, again=None, seconds=180):
        """Waits until something is so, and expects it. `is_so` is asked again and again; a machine with much else to do
        takes long.

        :param what: what is so, for the report
        :param again: what is done between two questions, such as to load the page anew
        """
        end = time.monotonic() + seconds
        while not is_so() and time.monotonic() < end:
            self.page.wait_for_timeout(500 if again else 100)
            if again:
                again()
        self.expect(what, is_so())

    # What they see.

    @property
    def path(self):
        return self.page.url.removeprefix(self.server.address)

    def expect(self, what, holds):
        if not holds:
            self.problems.append(f"not so: {what} ({self.page.url})")

    def look(self, shot):
        """A picture in light and dark, and what can be found out about a page without knowing what it is for."""
        page, name = self.page, f"{self.story}-{shot}"
        page.wait_for_load_state("load")
        self.picture(name)
        if page.evaluate(WIDER):
            self.problems.append(f"{shot}: wider than the screen: {page.evaluate(WIDEST)}")
        # WebKitGTK has no fingers.
        is_touched = self.case.size == "phone" and self.path.startswith(TOUCHED) and page.evaluate(
            "matchMedia('(pointer: coarse)').matches")
        for target in page.evaluate(SMALL_TARGETS, LEAST_TOUCHED if is_touched else LEAST_TARGET):
            self.problems.append(f"{shot}: small target: {target}")
        if self.case.is_full:
            self.axe(name)
            # The tint of a row that arrived keeps the colour of the scheme in which it began.
            page.evaluate("document.getAnimations().forEach((one) => one.cancel())")
            page.emulate_media(color_scheme="dark")
            # Colours that are on their way from one scheme to the other are none.
            page.evaluate("document.getAnimations().forEach((one) => one.finish())")
            self.picture(name + "-dark")
            self.axe(name + "-dark", ["color-contrast"])
            page.emulate_media(color_scheme="light")

    def picture(self, name):
        file = f"{self.case.name}-{name}.png"
        # To hide the caret Playwright changes every input: a row that is loaded anew then would look like another.
        shot = {"path": os.path.join(SHOTS, file), "full_page": True, "caret": "initial"}
        try:
            self.page.screenshot(**shot)
        except Error as error:
            # A loaded machine, not the page: the browser takes the same picture a moment later.
            if "Unable to capture screenshot" not in str(error):
                raise
            self.page.wait_for_timeout(500)
            self.page.screenshot(**shot)

    def axe(self, name, rules=None):
        # Without names of elements, which are not read here, and without sounds, of which no serious rule asks.
        options = {"resultTypes": ["violations"], "selectors": False, "preload": False}
        if rules:
            options["runOnly"] = {"type": "rule", "values": rules}
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE)
        for impact, rule, node in self.page.evaluate(VIOLATIONS, options):
            if impact in ("serious", "critical"):
                self.problems.append(f"{name}: axe {rule}: {node}")
