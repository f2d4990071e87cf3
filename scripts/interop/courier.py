"""Courier IMAP and POP3 of Debian 12: a name that does not begin with `INBOX.` is refused (`NO Invalid mailbox name`),
there is no MOVE, and a full quota refuses with an [ALERT]."""
import os

from support.environment import run
from support.dovecot import PASSWORD
from server import BelowInbox, USERS


class Courier(BelowInbox):
    name = "Courier 5.0"
    packages = ["courier-imap", "courier-pop", "courier-authdaemon", "courier-authlib-userdb"]
    shared = "#shared.bob.Team"

    def configure(self):
        quota_bytes = self.quota_kibibytes * 1000
        secret = run(["openssl", "passwd", "-6", PASSWORD]).strip()
        lines = []
        for user in USERS:
            quota = f"|quota={quota_bytes}S" if user == "quota" else ""
            home = f"home=/shared/{user}|mail=/shared/{user}/Maildir"
            lines.append(f"{user}\tuid=8|gid=8|{home}{quota}|systempw={secret}\n")
        self.root.write("etc/courier/userdb", "".join(lines), 0o600)
        index = "".join(f"{user}\t8\t8\t/shared/{user}\tMaildir\n" for user in USERS)
        self.root.write("etc/courier/shared/index", index)
        return f"""
edit() {{ sed -i "s|^$2=.*|$2=$3|" /etc/courier/$1; }}
edit authdaemonrc authmodulelist '"authuserdb"'
for kind in imapd pop3d; do edit $kind ADDRESS 127.0.0.1; edit $kind MAXPERIP 200; edit $kind MAXDAEMONS 200; done
edit imapd PORT {self.imap}; edit pop3d PORT {self.pop3}
edit imapd IMAP_ENHANCEDIDLE 0; edit imapd IMAP_IDLE_TIMEOUT 5
mkdir -p /run/courier/authdaemon; chown -R courier:courier /run/courier
chown courier:courier /etc/courier /etc/courier/userdb
for user in {" ".join(USERS)}; do mkdir -p /shared/$user; maildirmake /shared/$user/Maildir; done
maildirmake -q {quota_bytes}S /shared/quota/Maildir
for user in {" ".join(USERS)}; do chown -R mail:mail /shared/$user; done
makeuserdb
authdaemond start; imapd start; pop3d start
"""

    def hide(self, user, hidden):
        """Takes the right to open the files of a mailbox from the server, or gives it back. Without it the server
        sends a placeholder with the subject "message unavailable"."""
        for folder in ("new", "cur"):
            folder = os.path.join(self.root.shared, user, "Maildir", folder)
            for name in os.listdir(folder):
                os.chmod(os.path.join(folder, name), 0 if hidden else 0o644)
