"""Courier IMAP and POP3 of Debian 12: everything stands below `INBOX.`, another name is refused (`NO Invalid mailbox name`); there is no
MOVE; a quota refuses with an [ALERT]."""
import os

from harness import run
from mailserver import free_port, PASSWORD
from server import HasQuota, InChroot, USERS

QUOTA_BYTES = 60_000


class Courier(HasQuota, InChroot):
    name = "Courier 5.0"
    packages = ["courier-imap", "courier-pop", "courier-authdaemon", "courier-authlib-userdb"]
    prefix, separator = "INBOX.", "."
    shared = "#shared.bob.Team"

    def configure(self):
        self.imap, self.pop3 = free_port(), free_port()
        secret = run(["openssl", "passwd", "-6", PASSWORD]).strip()
        lines = []
        for user in USERS:
            quota = f"|quota={QUOTA_BYTES}S" if user == "quota" else ""
            lines.append(f"{user}\tuid=8|gid=8|home=/shared/{user}|mail=/shared/{user}/Maildir{quota}|systempw={secret}\n")
        self.root.write("etc/courier/userdb", "".join(lines), 0o600)
        self.root.write("etc/courier/shared/index", "".join(f"{user}\t8\t8\t/shared/{user}\tMaildir\n" for user in USERS))
        make = "\n".join(f"mkdir -p /shared/{user} && maildirmake /shared/{user}/Maildir && chown -R mail:mail /shared/{user}" for user in USERS)
        return f"""
edit() {{ sed -i "s|^$2=.*|$2=$3|" /etc/courier/$1; }}
edit authdaemonrc authmodulelist '"authuserdb"'
for kind in imapd pop3d; do edit $kind ADDRESS 127.0.0.1; edit $kind MAXPERIP 200; edit $kind MAXDAEMONS 200; done
edit imapd PORT {self.imap}; edit pop3d PORT {self.pop3}
edit imapd IMAP_ENHANCEDIDLE 0; edit imapd IMAP_IDLE_TIMEOUT 5
mkdir -p /run/courier/authdaemon; chown -R courier:courier /run/courier
chown courier:courier /etc/courier /etc/courier/userdb
{make}
maildirmake -q {QUOTA_BYTES}S /shared/quota/Maildir; chown -R mail:mail /shared/quota
makeuserdb
authdaemond start; imapd start; pop3d start
"""

    def hide(self, user, hidden):
        """Lets the server open the files of a mailbox no more, or again. It then shows a placeholder with the subject "message unavailable"."""
        for folder in ("new", "cur"):
            folder = os.path.join(self.root.shared, user, "Maildir", folder)
            for name in os.listdir(folder):
                os.chmod(os.path.join(folder, name), 0 if hidden else 0o644)
