"""A real SMTP server on loopback, by aiosmtpd: `smtp_server.py FOLDER MODE [CERTIFICATE KEY]`.

MODE is `plain`, `starttls` (asked for before anything else) or `smtps`. Prints its port, which FUNDMAIL_SMTP_PORT may
name. Each message that it takes is written to FOLDER/N.eml as it came, with the envelope in FOLDER/N.json; a server that
is started again in the same folder goes on counting. Recipients whom FOLDER/refused names, one a line, are refused. The
users are ann, whose password is sesame, and whoever comes with
the token that FOLDER/token holds."""

import asyncio
import base64
import json
import os
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

folder, mode = sys.argv[1:3]


class Mailbox:
    def __init__(self):
        self.count = max((int(name[:-4]) for name in os.listdir(folder) if name.endswith(".eml")), default=0)

    async def auth_XOAUTH2(self, server, arguments):
        said = arguments[1].encode() if len(arguments) > 1 else None
        if said is None:
            await server.push("334 ")
            said = await server._reader.readline()
        fields = base64.b64decode(said.strip()).split(b"\x01")
        with open(os.path.join(folder, "token"), "rb") as file:
            expected = b"auth=Bearer " + file.read().strip()
        if expected in fields:
            return AuthResult(success=True)
        # As Google and Microsoft do: the reason first, then the refusal.
        await server.push("334 " + base64.b64encode(b'{"status":"401"}').decode())
        await server._reader.readline()
        return AuthResult(success=False, handled=False)

    async def handle_RCPT(self, server, session, envelope, address, options):
        try:
            with open(os.path.join(folder, "refused"), encoding="utf-8") as file:
                if address in file.read().split():
                    return f"550 5.1.1 <{address}>: Recipient address rejected: User unknown"
        except FileNotFoundError:
            pass
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 Ok"

    async def handle_DATA(self, server, session, envelope):
        self.count += 1
        path = os.path.join(folder, f"{self.count}.")
        facts = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "encrypted": session.ssl is not None or mode == "smtps",
            "user": session.authenticated,
            "host": session.host_name,
        }
        with open(path + "json", "w", encoding="utf-8") as file:
            json.dump(facts, file)
        # There as a whole or not at all, also when the server is killed.
        with open(path + "part", "wb") as file:
            file.write(envelope.original_content)
        os.rename(path + "part", path + "eml")
        return f"250 2.0.0 Ok: queued as {self.count}"


def authenticate(server, session, envelope, mechanism, data):
    right = getattr(data, "login", None) == b"ann" and getattr(data, "password", None) == b"sesame"
    return AuthResult(success=right, handled=False)


async def main():
    context = None
    if mode != "plain":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*sys.argv[3:5])
    mailbox = Mailbox()

    def make():
        return SMTP(
            mailbox,
            hostname="mail.example",
            tls_context=context if mode == "starttls" else None,
            require_starttls=mode == "starttls",
            auth_required=mode != "plain",
            auth_require_tls=mode == "starttls",
            authenticator=authenticate,
            data_size_limit=1 << 20,
        )

    server = await asyncio.get_running_loop().create_server(
        make, "127.0.0.1", int(os.environ.get("FUNDMAIL_SMTP_PORT", 0)), ssl=context if mode == "smtps" else None
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
