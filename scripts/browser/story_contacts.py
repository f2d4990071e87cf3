"""Contacts: a file of them and the field that offers them, people of one's mail, and one that is deleted by mistake."""
import time

from cases import story
from support.samples import mail

CARDS = """BEGIN:VCARD\r
VERSION:2.1\r
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E7=8E=8B;=E5=A4=A7=E4=BC=9F;;;\r
TEL;CELL:+86 138\r
EMAIL;WORK:dawei@partner.example\r
PHOTO;ENCODING=BASE64:AAAA\r
\r
END:VCARD\r
BEGIN:VCARD\r
VERSION:3.0\r
FN:Carla <i>Clark</i>\r
ORG:ACME;Sales\r
EMAIL:carla@acme.example\r
END:VCARD\r
"""


@story()
def imports_contacts(visit):
    """The file of a phone is shown before it is taken in, once; then an address field offers its people."""
    page = visit.page
    visit.sign_in()
    visit.open("/library/contacts/import")
    page.set_input_files("#file", [{"name": "phone.vcf", "mimeType": "text/vcard", "buffer": CARDS.encode()}])
    visit.press("form[enctype] button")
    visit.expect("both are listed", page.locator("main .rows > li").count() == 2)
    visit.expect("markup is text", page.locator("main .rows i").count() == 0)
    visit.look("preview")
    take = "form[action$='/import/take'] button"
    if page.locator(take).count() == 1:
        visit.press(take)
    visit.open("/library/contacts?q=daw")
    visit.expect("found by an address", page.locator("main .rows a.name").count() == 1)
    visit.open("/library/contacts")
    visit.look("list")
    visit.open("/library/contacts/import")
    page.set_input_files("#file", [{"name": "phone.vcf", "mimeType": "text/vcard", "buffer": CARDS.encode()}])
    visit.press("form[enctype] button")
    visit.expect("nothing of it is new", page.locator(take).count() == 0)
    visit.press("form[action$='/import/discard'] button")
    if not visit.has_scripts:
        return
    # Any page with an address field will do: letters may be off.
    page.evaluate("""() => {
      const field = document.createElement("input");
      field.id = "to"; field.dataset.contacts = ""; field.ariaLabel = "To";
      document.querySelector("main .list, main").append(field);
      dispatchEvent(new Event("change"));
    }""")
    field = page.locator("#to")
    field.click()
    field.type("x@y.example, car", delay=20)
    page.wait_for_selector("[role=option]")
    field.press("ArrowDown")
    visit.expect("the first is chosen", page.locator("[role=option][aria-selected=true]").count() == 1)
    field.press("Escape")
    visit.expect("Escape closes the list", field.get_attribute("aria-expanded") == "false")
    field.press("ArrowDown")
    page.wait_for_selector("[role=option]")
    page.locator("[role=option]").first.click()
    visit.expect("the one at the caret is completed", field.input_value().startswith("x@y.example, ")
                 and "<carla@acme.example>" in field.input_value())


@story()
def takes_people_of_mail(visit):
    """Whom one's mail names is offered, and is a contact after one click."""
    page = visit.page
    name = f"Zoe {visit.case.name}"
    address = f"zoe.{visit.case.name}@partner.example"
    visit.server.deliver(visit.user, mail(visit.user, "[Fund1] With a partner", "Hello.\n").replace(
        b"To: funds@example.com", f"To: funds@example.com, {name} <{address}>".encode()))
    visit.sign_in()
    visit.open("/library/contacts/seen")
    row = page.locator("main .rows > li", has_text=address)
    visit.expect("the recipient is offered", row.count() == 1)
    visit.look("seen")
    visit.press(row.locator("button"))
    visit.expect("and is not offered any more", page.locator("main .rows > li", has_text=address).count() == 0)
    visit.open(f"/library/contacts?q={address.split('@')[0]}")
    visit.expect("it is a contact", page.locator("main .rows a.name", has_text=name).count() == 1)


@story()
def brings_a_contact_back(visit):
    """A contact is written, changed with a further number, deleted and brought back by the button beside the words."""
    page = visit.page
    visit.sign_in()
    visit.open("/library/contacts/new")
    name = f"Dora {time.time_ns()}"
    page.fill("#name", name)
    page.fill("#address-0", "dora at home")
    visit.press("button[name=save]")
    visit.expect("what is no address is said", page.locator("[aria-invalid], .failure").count() > 0)
    page.fill("#address-0", f"dora.{time.time_ns()}@partner.example")
    visit.press("button[value=phone]")
    page.fill("#phone-1", "+44 2")
    visit.look("form")
    visit.press("button[name=save]")
    visit.expect("its page has both", page.locator("dl.facts a[href^='tel:']").count() == 1)
    visit.look("card")
    visit.press("form[action$='/delete'] button")
    found = page.locator("main .rows a.name", has_text=name)
    visit.expect("it is gone", found.count() == 0)
    # With scripts the list changes in place.
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.locator(".done form button").click()
    visit.open("/library/contacts?q=dora")
    visit.expect("undo brings it back", found.count() > 0)
