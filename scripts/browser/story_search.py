"""Search over everything."""
from cases import story
from support.samples import MARKUP


@story()
def search(visit):
    page = visit.page
    visit.sign_in("/library/search")
    visit.look("start")
    page.fill("#q", "notice")
    visit.press("form[role=search] button.primary")
    page.wait_for_selector("mark")
    visit.look("hits")
    page.select_option("#type", index=1)
    visit.press("form[role=search] button.primary")
    visit.look("of-a-kind")
    visit.press(page.locator("ul.hits a.name").first)
    visit.expect("a hit leads to the thing", page.locator("#opened").count() == 1)
    visit.open("/library/search?q=季度")
    visit.expect("Chinese is found", page.locator("mark").count() > 0)
    visit.look("chinese")
    visit.open("/library/search?q=nothing-has-this-word")
    visit.expect("it says that there is nothing", page.locator(".empty").is_visible())
    visit.look("none")
    visit.open("/library/search")
    page.fill("#q", MARKUP)
    visit.press("form[role=search] button.primary")
    visit.expect("what was asked for is kept", page.input_value("#q") == MARKUP)
