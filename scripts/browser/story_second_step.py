"""Two-step sign-in: authenticator apps with and without scripts, passkeys of a device that the test holds."""
import base64
import contextlib
import hmac
import struct
import time

from cases import story
from engines import PASSKEYS
from server import elsewhere, Server
from support.serve import PASSWORD

ROOT = "root@corp.example"
# A device like a telephone: it keeps passkeys, and has checked the finger of whoever holds it.
DEVICE = {"protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
          "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True}


class App:
    """An authenticator app (RFC 6238), which shows no code twice: that of the next step is taken, too."""

    def __init__(self, secret):
        self.secret = base64.b32decode(secret.replace(" ", ""))
        self.last = 0

    def code(self):
        self.last = max(int(time.time()) // 30, self.last + 1)
        mac = hmac.digest(self.secret, struct.pack(">Q", self.last), "sha1")
        return f"{struct.unpack_from('>I', mac, mac[-1] & 15)[0] % 2 ** 31 % 10 ** 6:06}"


@contextlib.contextmanager
def at_home(visit, rule="none"):
    """A server of this story alone, by the name that passkeys belong to."""
    configure = Server.configure

    def by_name(server, lines):
        server.authority = server.authority.replace("127.0.0.1", "localhost")
        lines = lines.replace('public_url: "http://127.0.0.1:', f'second_factor: {{required_for: {rule}}}, '
                                                                'public_url: "http://localhost:')
        configure(server, lines)

    Server.configure = by_name
    try:
        with elsewhere(visit, administrator=ROOT) as server:
            server.address = server.address.replace("127.0.0.1", "localhost")
            visit.allowed.append(server.address)
            yield server
    finally:
        Server.configure = configure


def type_password(visit, user=None, path="/account"):
    visit.open(path)
    visit.page.fill("#username", user or visit.user)
    visit.page.fill("#password", PASSWORD)
    visit.press("main form[action='/sign-in'] button")


def set_up_app(visit):
    """From the page of second factors to the codes; gives the app and the codes."""
    page = visit.page
    visit.press("form[action='/account/code-app'] button")
    app = App(page.locator(".card code.copy").inner_text())
    visit.look("app")
    page.fill("#code", "000000")
    visit.press("form[action='/account/code-app/confirm'] button.primary")
    visit.expect("a wrong code is told", page.locator("#problem").is_visible())
    page.fill("#code", app.code())
    visit.press("form[action='/account/code-app/confirm'] button.primary")
    codes = page.locator("code.copy.big").inner_text().split()
    visit.expect("ten codes", len(codes) == 10)
    visit.look("codes")
    return app, codes


def give(visit, code):
    visit.page.fill("#code", code)
    visit.press("form[action='/sign-in/second'] button.primary")


@story()
def second_step(visit):
    page = visit.page
    with at_home(visit):
        type_password(visit)
        visit.press("a[href='/account/second-factor']")
        visit.look("none")
        app, codes = set_up_app(visit)
        visit.press("a.button.primary")
        visit.look("set-up")
        visit.expect("codes are shown once", codes[0] not in page.content())
        visit.sign_out()

        type_password(visit, path="/library/trash")
        visit.expect("it asks for a code", page.locator("#code").count() == 1)
        visit.look("asked")
        visit.open("/library")
        visit.expect("which opens nothing", page.locator("#password").count() == 1)
        type_password(visit, path="/library/trash")
        give(visit, "123456")
        visit.expect("a wrong one is told", page.locator("#problem").is_visible())
        visit.look("wrong")
        give(visit, app.code())
        visit.expect("one lands where one wanted", visit.path.startswith("/library/trash"))
        visit.sign_out()
        type_password(visit)
        give(visit, codes[0])
        visit.expect("a recovery code does as well", visit.path.startswith("/account"))
        visit.sign_out()
        type_password(visit)
        give(visit, codes[0])
        visit.expect("once", page.locator("#problem").is_visible())
        give(visit, codes[1])
        visit.open("/account/second-factor")
        visit.press("form[action='/account/code-app/remove'] button")
        visit.sign_out()
        type_password(visit)
        visit.expect("the password suffices again", visit.path.startswith("/account"))


@story(sizes=("tablet", "phone"))
def second_step_asked(visit):
    """An administrator who must have a second factor; and one who takes another's away."""
    page = visit.page
    with at_home(visit, "administrators"):
        type_password(visit, ROOT, "/desk")
        visit.expect("nothing but that", page.locator("form[action='/account/code-app']").count() == 1)
        visit.expect("no sidebar", page.locator("nav.side").count() == 0)
        visit.look("required")
        visit.open("/office/people")
        visit.expect("wherever one goes", visit.path.startswith("/account/second-factor"))
        type_again = page.locator("form[action='/account/code-app'] button")
        visit.expect("the form is there", type_again.count() == 1)
        set_up_app(visit)
        visit.press("a.button.primary")
        visit.expect("then one goes on", visit.path.startswith("/office/people"))
        visit.open("/account/second-factor")
        visit.press("form[action='/account/code-app/remove'] button")
        visit.expect("the last one stays", page.locator(".failure").is_visible())
        visit.look("last")

        ann = visit.another_browser()
        type_password(ann)
        ann.open("/account/second-factor")
        set_up_app(ann)
        visit.open("/office/people")
        visit.press(f"a.name:has-text('{visit.user}'), a.name:has-text('Ann')")
        visit.look("person")
        visit.press("form[action$='/second-factor/remove'] button")
        visit.look("removed")
        ann.open("/library")
        visit.expect("sessions end", ann.page.locator("#password").count() == 1)
        type_password(ann, path="/library")
        visit.expect("who lost it is told", ann.page.locator(".done").is_visible())
        ann.look("told")
        ann.close()
        visit.open("/office/audit?action=factor")
        visit.look("audit")


@story(needs_scripts=True, needs=(PASSKEYS,))
def passkeys(visit):
    page = visit.page
    with at_home(visit) as server:
        device = visit.context.new_cdp_session(page)
        device.send("WebAuthn.enable")
        authenticator = device.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})["authenticatorId"]

        def keys():
            return device.send("WebAuthn.getCredentials", {"authenticatorId": authenticator})["credentials"]

        type_password(visit)
        visit.open("/account/second-factor")
        page.fill("form[action='/account/passkeys'] #name", "Test telephone")
        visit.press("form[action='/account/passkeys'] button")
        visit.expect("codes", page.locator("code.copy.big").inner_text().count("\n") == 9)
        visit.press("a.button.primary")
        visit.expect("it has its name", visit.row("Test telephone").count() == 1)
        visit.expect("the device has it", len(keys()) == 1 and keys()[0]["isResidentCredential"])
        visit.look("added")
        page.click("form[action='/account/passkeys'] button")
        page.wait_for_selector("form[action='/account/passkeys'] .problem:not([hidden])")
        visit.expect("not twice", len(keys()) == 1)
        visit.sign_out()

        visit.open("/library/trash")
        page.wait_for_selector("form[data-passkey]:not([hidden])")
        visit.look("sign-in")
        visit.press("form[data-passkey] button")
        visit.expect("it needs no name", visit.path.startswith("/library/trash"))
        visit.sign_out()
        type_password(visit, path="/library/trash")
        page.wait_for_selector("form[data-passkey]:not([hidden])")
        visit.look("second")
        visit.press("form[data-passkey] button")
        visit.expect("nor a code", visit.path.startswith("/library/trash"))
        visit.sign_out()

        # The same key at another device, whose counter is behind.
        key = keys()[0]
        visit.expect("the counter grows", key["signCount"] > 1)
        device.send("WebAuthn.removeCredential", {"authenticatorId": authenticator, "credentialId": key["credentialId"]})
        device.send("WebAuthn.addCredential", {"authenticatorId": authenticator, "credential": {**key, "signCount": 0}})
        visit.open("/sign-in")
        visit.press("form[data-passkey] button")
        visit.expect("a copy is refused", page.locator(".failure").is_visible())
        visit.look("copied")
        device.send("WebAuthn.setUserVerified", {"authenticatorId": authenticator, "isUserVerified": False})
        page.click("form[data-passkey] button")
        page.wait_for_selector("form[data-passkey] .problem:not([hidden])")
        visit.look("cancelled")

        # By another address of the server there are none.
        visit.allowed.append(server.address.replace("localhost", "127.0.0.1"))
        page.goto(server.address.replace("localhost", "127.0.0.1") + "/sign-in")
        visit.expect("elsewhere there is no button", page.locator("form[data-passkey]:not([hidden])").count() == 0)
        told = server.run("user", "second-factor", "show", visit.user)
        visit.expect("the command line knows it", "Test telephone" in told)
        server.run("user", "second-factor", "remove", visit.user)
        type_password(visit)
        visit.expect("one is told", page.locator(".done").is_visible())
