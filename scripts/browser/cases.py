"""In which browsers the stories are told. Each picture is taken in light and dark besides."""
from engines import ENGINES

SIZES = {
    "tablet": {"viewport": {"width": 1024, "height": 768}, "has_touch": True},
    "upright": {"viewport": {"width": 768, "height": 1024}, "has_touch": True},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "desktop": {"viewport": {"width": 1440, "height": 900}},
}
# The least width of a window that shows what is opened beside its list.
PANES_WIDTH = 900
# Stories of what a window of another width shows in another way; the others are the same at every width.
LAYOUT = {
    "a_letter_beside_the_list", "account", "acts_on_a_fund", "all_of_a_fund", "archive", "beside_the_list",
    "desk_by_hand", "desk_causes", "favourites_and_trash", "filters", "first_start", "home", "latest", "letter",
    "letters", "long_names", "moves_by_dialog", "notes", "opening", "pages_below_each_other", "palette", "people",
    "quarantine", "renames_in_place", "running", "search", "shell", "signing_in", "tables", "three_hundred_pages",
    "thumbnails", "two_hundred_files", "type_ahead", "up_and_down", "uploads", "versions", "what_happened",
    "what_was_done_is_in_sight",
}
# Further ones of pages that have a narrow form of their own, or much text.
NARROW = {
    "further_sections", "hostile_mail", "imports_contacts", "keeps_news_in_a_fund", "link", "news", "reads_news",
    "script_checks", "sends_a_file", "stays_where_one_was", "upload_link", "what_is_new",
}
# Stories of pages whose narrow form is used in another way without scripts. The others are told on a narrow screen with
# scripts, and without scripts on a wide one.
NARROW_AND_PLAIN = {
    "acts_on_a_fund", "beside_the_list", "desk_by_hand", "favourites_and_trash", "filters", "first_start", "letters",
    "opening", "search", "shell", "signing_in", "what_happened",
}
LANGUAGES = {"en": "en-GB", "zh": "zh-CN"}


class Case:
    """A size and a language, with scripts or without, in one of the engines.

    :param is_full: whether every page is also looked at in the dark and searched by axe: what that finds depends little
                    on the size
    :param usual: names of the stories that it tells when none is named, of those that its engine tells; None for all
    :param is_usual: whether it is told when none is named: each size, language and way once takes half the time of all
    """

    def __init__(self, size, language, has_scripts=True, is_full=False, is_usual=True,
                 engine="chromium", usual=None):
        self.size, self.language, self.has_scripts = size, language, has_scripts
        self.is_full, self.is_usual, self.usual = is_full, is_usual, usual
        self.has_panes = SIZES[size]["viewport"]["width"] >= PANES_WIDTH
        self.has_touch = SIZES[size].get("has_touch", False)
        self.engine = next(one for one in ENGINES if one.name == engine)
        self.name = f"{size}-{language}" + ("" if has_scripts else "-plain") + (
            "" if engine == "chromium" else f"-{engine}")
        self.user = f"{self.name}@example.com"
        self.sender = f"sal.{self.name}@example.com"
        self.options = {**SIZES[size], "locale": LANGUAGES[language], "color_scheme": "light",
                        "java_script_enabled": has_scripts}
        if engine == "firefox":
            self.options.pop("is_mobile", None)


CASES = [
    Case("tablet", "en", is_full=True), Case("phone", "zh", is_full=True, usual=LAYOUT | NARROW),
    Case("upright", "en", usual=LAYOUT), Case("desktop", "zh", usual=LAYOUT),
    Case("tablet", "en", engine="webkit"), Case("phone", "zh", engine="webkit"), Case("tablet", "en", engine="firefox"),
    Case("tablet", "en", has_scripts=False), Case("phone", "zh", has_scripts=False, usual=NARROW_AND_PLAIN),
    *(Case(size, language, is_usual=False)
      for size, language in (("tablet", "zh"), ("phone", "en"), ("upright", "zh"), ("desktop", "en"))),
    Case("tablet", "en", has_scripts=False, is_usual=False, engine="webkit"),
    Case("phone", "zh", is_usual=False, engine="firefox"),
]

STORIES = []


class Story:
    def __init__(self, name, tell, needs_scripts, sizes, needs):
        self.name, self.tell, self.needs_scripts, self.sizes, self.needs = name, tell, needs_scripts, sizes, needs

    def is_for(self, case):
        return (case.has_scripts or not self.needs_scripts) and case.size in self.sizes


def story(needs_scripts=False, sizes=tuple(SIZES), needs=()):
    """Marks a function of one argument, the visit, as a story, by its name. Each gets a browser of its own, in which
    nobody is signed in; what earlier ones did to the funds of this case is there.

    :param needs: what not every engine can do, of those that `engines` names
    """
    def register(tell):
        STORIES.append(Story(tell.__name__, tell, needs_scripts, sizes, needs))
        return tell
    return register
