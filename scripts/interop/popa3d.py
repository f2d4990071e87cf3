"""popa3d of Debian 12: POP3 on mbox files of system accounts, without CAPA (RFC 2449) and without TLS."""
import os

from support.dovecot import PASSWORD
from support.processes import free_port
from server import InChroot, mbox, USERS


class Popa3d(InChroot):
    name = "popa3d 1.0"
    adds_fields = True
    packages = ["popa3d", "socat"]

    def configure(self):
        self.pop3 = free_port()
        users = " ".join(user for user in USERS if user.startswith("pop"))
        # By itself it would listen on every address; socat passes it one connection at a time, as inetd does.
        return f"""
mv /var/mail /var/mail.empty; ln -s /shared /var/mail; chown root:mail /shared; chmod 2775 /shared
for user in {users}; do
    useradd $user; echo $user:{PASSWORD} | chpasswd
    touch /shared/$user; chown $user:mail /shared/$user; chmod 660 /shared/$user
done
socat TCP-LISTEN:{self.pop3},bind=127.0.0.1,fork,reuseaddr EXEC:/usr/sbin/popa3d &
"""

    def start(self):
        self.root.start(self.configure())
        self.wait("pop-keep")

    def fill(self, user, messages, folder="INBOX"):
        with open(os.path.join(self.root.shared, user), "ab") as file:
            file.write(mbox(messages))
