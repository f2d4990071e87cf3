"""The IMAP server of faulty.py: as much of RFC 3501, 4315 and 6851 as `fundmail` uses, and the fault of each
account."""
import re
import select

from faulty_session import Box, Lost, PLACEHOLDER, Session
from server import quoted

# What a refusal of COPY and MOVE says, by user (RFC 5530 §3; OVERQUOTA: RFC 9208 §4.1.3).
REFUSALS = {
    "noperm": "[NOPERM] Permission denied", "cannot": "[CANNOT] Not there", "limit": "[LIMIT] Too many messages",
    "overquota": "[OVERQUOTA] Quota exceeded", "serverbug": "[SERVERBUG] Internal error",
    "plainno": "Invalid mailbox name."}
CAPABILITIES = "IMAP4rev1 UIDPLUS IDLE NAMESPACE"
WITH_MOVE = CAPABILITIES + " MOVE"
BY_USER = {"rev2": "IMAP4rev2", "bare": "IMAP4rev1", "lostmove": WITH_MOVE, "movecode": WITH_MOVE}


def members(text, uids):
    """The UIDs of a sequence set (RFC 3501 §9)."""
    last, found = max(uids, default=0), []
    for part in text.split(","):
        ends = [last if end == "*" else int(end) for end in part.split(":")]
        low, high = min(ends), max(ends)
        found += [uid for uid in uids if low <= uid <= high]
    return sorted(set(found))


def ranges(uids):
    return ",".join(map(str, uids))


class Imap(Session):
    user = box = None

    def capabilities(self):
        return BY_USER.get(self.user, CAPABILITIES)

    def talk(self):
        self.say("* OK ready")
        while True:
            tag, _, rest = self.line().partition(" ")
            # Literals (RFC 3501 §4.3) stand for strings in every command.
            while found := re.search(r"\{(\d+)(\+?)\}$", rest):
                if not found.group(2):
                    self.say("+ go on")
                rest = rest[:found.start()] + quoted(self.rfile.read(int(found.group(1))).decode()) + self.line()
            verb, _, words = rest.partition(" ")
            verb = verb.upper()
            if verb == "UID":
                verb, _, words = words.partition(" ")
                verb = "UID_" + verb.upper()
            method = getattr(self, "do_" + verb.lower(), None)
            answer = method(words) if method else "BAD unknown"
            self.say(f"{tag} {answer or 'OK done'}")
            if verb == "LOGOUT":
                return

    def name(self, text):
        text = text.strip()
        name = text[1:-1].replace('\\"', '"').replace("\\\\", "\\") if text.startswith('"') else text
        return "INBOX" if name.upper() == "INBOX" else name

    def do_capability(self, _):
        self.say("* CAPABILITY " + (self.capabilities() if self.user else "IMAP4rev1"))

    def do_noop(self, _):
        return None

    do_check = do_enable = do_id = do_noop

    def do_login(self, words):
        self.user = re.match(r'"?([^" ]+)', words).group(1)
        self.account = self.server.faulty.account(self.user)

    def do_namespace(self, _):
        self.say('* NAMESPACE (("" "/")) NIL NIL')

    def do_list(self, words):
        is_wild = words.rstrip('"').endswith(("*", "%"))
        pattern = re.compile(".*" if is_wild else re.escape(self.name(words.split(" ", 1)[1])))
        for name in list(self.account.boxes):
            if pattern.fullmatch(name):
                self.say(f'* LIST () "/" "{name}"')

    def do_lsub(self, _):
        for name in self.account.subscribed:
            self.say(f'* LSUB () "/" "{name}"')

    def do_subscribe(self, words):
        self.account.subscribed.add(self.name(words))

    def do_status(self, words):
        name = self.name(words[:words.rindex("(")])
        if name not in self.account.boxes:
            return "NO [NONEXISTENT] no such mailbox"
        box = self.account.boxes[name]
        self.say(f'* STATUS "{name}" (MESSAGES {len(box.messages)} UIDNEXT {box.next} UIDVALIDITY {box.validity} '
                 "UNSEEN 0 RECENT 0)")

    def do_create(self, words):
        if self.user == "plainno":
            return "NO Invalid mailbox name."
        name = self.name(words)
        if name in self.account.boxes:
            return "NO [ALREADYEXISTS] it is there"
        self.account.boxes[name] = Box()

    def do_select(self, words):
        name = self.name(words)
        if name not in self.account.boxes:
            return "NO [NONEXISTENT] no such mailbox"
        self.box = self.account.boxes[name]
        if self.user == "validity":
            self.box.validity += 1
        self.say(f"* {len(self.box.messages)} EXISTS")
        self.say("* 0 RECENT")
        self.say("* FLAGS (\\Seen \\Deleted \\Flagged)")
        self.say("* OK [PERMANENTFLAGS (\\Seen \\Deleted \\Flagged \\*)] kept")
        self.say(f"* OK [UIDVALIDITY {self.box.validity}] valid")
        self.say(f"* OK [UIDNEXT {self.box.next}] next")
        return "OK [READ-WRITE] selected"

    do_examine = do_select

    def number(self, uid):
        return sorted(self.box.messages).index(uid) + 1

    def shown(self, uid):
        """The bytes that are sent for a message."""
        text = self.box.messages[uid][1]
        if self.user == "short":
            return text[:9000]
        if self.user == "shortonce" and self.account.once(("short", uid)):
            return text[:9000]
        if self.user == "longer":
            return text + b"More than was announced, and more than other line ends explain.\r\n" * 100
        if self.user == "placeholder" and not self.server.faulty.healed:
            return PLACEHOLDER
        return text

    def do_fetch(self, words):
        which, _, items = words.partition(" ")
        uids = sorted(self.box.messages)
        self.fetch([uids[number - 1] for number in members(which, list(range(1, len(uids) + 1)))], items)

    def do_uid_fetch(self, words):
        which, _, items = words.partition(" ")
        self.fetch(members(which, sorted(self.box.messages)), items)

    def fetch(self, uids, items):
        for uid in uids:
            flags, text = self.box.messages[uid]
            given = [f"UID {uid}"]
            if "FLAGS" in items:
                given.append(f"FLAGS ({' '.join(sorted(flags))})")
            if "RFC822.SIZE" in items:
                size = len(text) - text.count(b"\r\n") if self.user == "unixsize" else len(text)
                given.append(f"RFC822.SIZE {size}")
            if "INTERNALDATE" in items:
                given.append('INTERNALDATE "21-Nov-2026 10:00:00 +0000"')
            head = f"* {self.number(uid)} FETCH ({' '.join(given)}"
            if wanted := re.search(r"BODY(?:\.PEEK)?\[([^\]]*)\](?:<(\d+)\.(\d+)>)?", items):
                body = self.shown(uid)
                self.account.bodies += not wanted.group(1)
                if wanted.group(1).startswith("HEADER"):
                    body = body[:body.index(b"\r\n\r\n") + 4]
                origin = ""
                if wanted.group(2):
                    origin = f"<{wanted.group(2)}>"
                    body = body[int(wanted.group(2)):][:int(wanted.group(3))]
                section = f"BODY[{wanted.group(1)}]{origin} {{{len(body)}}}"
                self.wfile.write(f"{head} {section}\r\n".encode() + body + b")\r\n")
            else:
                self.say(head + ")")

    def do_uid_search(self, words):
        uids = sorted(self.box.messages)
        if found := re.search(r"UID ([\d:,*]+)", words):
            uids = members(found.group(1), uids)
        if found := re.search(r"(?i)HEADER \"?Message-ID\"? (\S+)", words):
            uids = [uid for uid in uids if found.group(1).strip('"').encode() in self.box.messages[uid][1]]
        if "UNDELETED" in words.upper():
            uids = [uid for uid in uids if "\\Deleted" not in self.box.messages[uid][0]]
        elif re.search(r"(?i)\bDELETED", words):
            uids = [uid for uid in uids if "\\Deleted" in self.box.messages[uid][0]]
        if "RETURN" in words.upper():
            self.say("* ESEARCH UID" + (f" ALL {ranges(uids)}" if uids else ""))
        else:
            self.say("* SEARCH " + " ".join(map(str, uids)))

    def do_uid_store(self, words):
        if self.user == "nostore":
            return "NO [NOPERM] Permission denied"
        if self.user == "ignoredstore":
            return None
        which, kind, flags = re.match(r"(\S+) ([+-]?FLAGS)\S* \(?([^)]*)", words, re.IGNORECASE).groups()
        for uid in members(which, sorted(self.box.messages)):
            have = self.box.messages[uid][0]
            have.update(flags.split()) if kind.startswith("+") else have.difference_update(flags.split())

    def expunge(self, uids):
        for uid in uids:
            self.say(f"* {self.number(uid)} EXPUNGE")
            del self.box.messages[uid]

    def do_uid_expunge(self, words):
        uids = [uid for uid in members(words, sorted(self.box.messages)) if "\\Deleted" in self.box.messages[uid][0]]
        if self.user == "noexpunge":
            return "NO [NOPERM] Permission denied"
        if self.user == "lostexpunge" and self.account.once("expunge"):
            for uid in uids:
                del self.box.messages[uid]
            raise Lost
        self.expunge(uids)

    def do_expunge(self, _):
        self.expunge([uid for uid in sorted(self.box.messages) if "\\Deleted" in self.box.messages[uid][0]])

    do_close = do_unselect = do_noop

    def copied(self, words):
        """The UIDs, and the answer of COPY: a refusal, or COPYUID (RFC 4315 §3)."""
        which, _, name = words.partition(" ")
        name = self.name(name)
        if self.user in REFUSALS:
            return [], "NO " + REFUSALS[self.user]
        if self.user == "movecode":
            return [], "NO [OVERQUOTA] Quota exceeded"
        if self.user == "inuse" and self.account.once("inuse"):
            return [], "NO [INUSE] Mailbox is locked"
        if name not in self.account.boxes:
            return [], "NO [TRYCREATE] no such mailbox"
        uids = members(which, sorted(self.box.messages))
        target = self.account.boxes[name]
        new = [target.add(self.box.messages[uid][1]) for uid in uids]
        if self.user in ("lostcopy", "lostmove") and self.account.once("copy"):
            if self.user == "lostmove":
                for uid in uids:
                    del self.box.messages[uid]
            raise Lost
        return uids, f"[COPYUID {target.validity} {ranges(uids)} {ranges(new)}]"

    def do_uid_copy(self, words):
        uids, said = self.copied(words)
        return f"OK {said} copied" if uids else said

    def do_uid_move(self, words):
        uids, said = self.copied(words)
        if not uids:
            return said
        self.say(f"* OK {said}")
        self.expunge(uids)

    def do_idle(self, _):
        self.say("+ idling")
        known = len(self.box.messages)
        while not select.select([self.connection], [], [], 0.1)[0]:
            if len(self.box.messages) != known:
                known = len(self.box.messages)
                self.say(f"* {known} EXISTS")
        self.line()

    def do_logout(self, _):
        self.say("* BYE")
