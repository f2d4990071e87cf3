"""The POP3 server of faulty.py (RFC 1939, RFC 2449), and the fault of each account."""
import re

from faulty_session import Lost, PLACEHOLDER, Session


class Pop(Session):
    user = ""

    def talk(self):
        self.say("+OK ready")
        deleted, box = set(), None
        while True:
            verb, _, words = self.line().partition(" ")
            verb = verb.upper()
            if verb == "CAPA":
                uidl = "" if self.user == "popnouidl" else "UIDL\r\n"
                self.say(f"+OK\r\nUSER\r\n{uidl}TOP\r\nPIPELINING\r\n.")
            elif verb == "USER":
                self.user = words
                self.account = self.server.faulty.account(words)
                box = self.account.boxes["INBOX"]
                self.say("+OK")
            elif verb == "STAT":
                self.say(f"+OK {len(box.messages)} {sum(len(text) for _, text in box.messages.values())}")
            elif verb == "UIDL" and self.user == "popnouidl":
                self.say("-ERR unknown")
            elif verb in ("LIST", "UIDL"):
                number = sorted(box.messages)
                rows = [f"{at + 1} {len(box.messages[uid][1]) if verb == 'LIST' else f'u{uid}'}"
                        for at, uid in enumerate(number)]
                self.say("+OK " + rows[int(words) - 1] if words else "\r\n".join(["+OK", *rows, "."]))
            elif verb in ("RETR", "TOP"):
                uid = sorted(box.messages)[int(words.split()[0]) - 1]
                text = box.messages[uid][1]
                self.account.bodies += verb == "RETR"
                if self.user == "popshort" or self.user == "popshortonce" and self.account.once(("short", uid)):
                    text = text[:text.index(b"\r\n", 9000) + 2]
                if self.user == "popplaceholder" and not self.server.faulty.healed:
                    text = PLACEHOLDER
                if verb == "TOP":
                    text = text[:text.index(b"\r\n\r\n") + 4]
                self.wfile.write(b"+OK\r\n" + re.sub(rb"(?m)^\.", b"..", text) + b".\r\n")
            elif verb == "DELE" and self.user == "popnodele":
                self.say("-ERR no")
            elif verb == "DELE":
                deleted.add(sorted(box.messages)[int(words) - 1])
                self.say("+OK")
            elif verb == "QUIT":
                for uid in deleted:
                    del box.messages[uid]
                if self.user == "poplost" and self.account.once("quit"):
                    raise Lost
                self.say("+OK")
                return
            else:
                self.say("+OK" if verb in ("PASS", "NOOP", "RSET") else "-ERR unknown")
