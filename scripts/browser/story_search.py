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
    hit = page.locator("ul.hits li.row").first
    if visit.has_scripts:
        page.evaluate("window.isStill = true")
        visit.open_menu(hit)
        visit.look("menu")
        page.click("#rowmenu [data-for=star]")
        hit.locator(".star[aria-pressed=true]").wait_for()
        hit.locator("a.more").click()
        page.click("#rowmenu [data-for=star]")
        hit.locator(".star[aria-pressed=false]").wait_for(state="attached")
        visit.is_still()
    else:
        visit.press(hit.locator("a.more"))
        visit.expect("a hit leads to what can be done", "/library/items/" in page.url or "/library/notes/" in page.url)
        page.go_back()
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
