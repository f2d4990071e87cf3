"""The engines that tell the stories: how each is started, what it cannot do, and what it tells when nothing is named.

Chromium tells all. WebKitGTK is the nearest to an iPad's browser that runs on Debian, at the sizes of a tablet and of a
phone; Firefox tells what people need most. Playwright drives Debian's Chromium and Debian's Firefox (by WebDriver BiDi);
of WebKit it drives only a build of its own, so Debian's is driven by selenium; see webkit.py.
"""

# Chromium without its windows, which are pages themselves: a story takes half of the processor time.
CHROMIUM = "/usr/bin/chromium-headless-shell"

# What a story may need, and a browser may lack.
SLOW_LINE = "a line that is slowed"
NO_LINE = "a line that is cut by the browser"
INTERCEPTION = "answers that the test gives"
ANSWERS = "answers that are seen"
OTHER_HOSTS = "names of hosts that lead to this machine"
TOUCH = "touches"
SHIFTS = "a measure of what moves"
BACK_OUT = "Back to a page that leads to another one"
PASSKEYS = "a device with passkeys that the test holds"
WORDS_OF_ERRORS = "Chromium's words for a server that does not answer"


class Engine:
    """
    :param launch: gives the browser for Playwright's `sync_playwright`, with Playwright's interface
    :param lacks: pairs of what a story may need and why the engine cannot do it
    :param usual: names of the stories that it tells when none is named; None for all
    """

    def __init__(self, name, launch, lacks=None, usual=None):
        self.name, self.launch, self.lacks, self.usual = name, launch, lacks or {}, usual

    def why_not(self, story):
        """Why it cannot tell a story; None when it can."""
        return next((f"{need}: {self.lacks[need]}" for need in story.needs if need in self.lacks), None)


def launch_chromium(playwright):
    return playwright.chromium.launch(executable_path=CHROMIUM)


def launch_firefox(playwright):
    # A page that comes back from the cache for Back tells WebDriver BiDi nothing of it.
    return playwright.firefox.launch(channel="moz-firefox", executable_path="/usr/bin/firefox-esr",
                                     firefox_user_prefs={"browser.sessionhistory.max_total_viewers": 0})


def launch_webkit(playwright):
    from engines.webkit import Browser  # selenium is loaded where it is needed
    return Browser()


NOT_IN_BIDI = "WebDriver BiDi does not have it"
NOT_IN_WEBDRIVER = "WebDriver does not have it"
ENGINES = [
    Engine("chromium", launch_chromium),
    Engine("webkit", launch_webkit, lacks={
        SLOW_LINE: NOT_IN_WEBDRIVER, NO_LINE: NOT_IN_WEBDRIVER, INTERCEPTION: NOT_IN_WEBDRIVER,
        ANSWERS: NOT_IN_WEBDRIVER, OTHER_HOSTS: "WebKitGTK asks the resolver of the machine",
        TOUCH: "WebKitGTK has no Touch to construct, and a driver's touches arrive as a mouse's",
        SHIFTS: "WebKit does not measure it", BACK_OUT: "its driver answers nothing any more",
        WORDS_OF_ERRORS: "it has other words", PASSKEYS: "WebKitGTK makes no passkeys",
    }, usual={
        "script_checks", "signing_in", "account", "home", "favourite_fund", "yesterdays_mail", "hostile_mail", "arrives",
        "what_happened", "search", "notes", "up_and_down", "uploads", "shows_up", "ended_elsewhere", "opening",
        "thumbnails", "desk_by_keys", "desk_by_hand",
    }),
    Engine("firefox", launch_firefox, lacks={
        SLOW_LINE: NOT_IN_BIDI, OTHER_HOSTS: "its resolver knows no port", SHIFTS: "Firefox does not measure it",
        WORDS_OF_ERRORS: "it has other words", PASSKEYS: NOT_IN_BIDI,
    }, usual={
        "signing_in", "back_when_signed_out", "link_from_a_mail", "home", "yesterdays_mail", "arrives", "what_happened",
        "search", "up_and_down", "uploads", "shows_up", "thumbnails", "desk_by_keys", "script_checks",
    }),
]
