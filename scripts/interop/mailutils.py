"""imap4d and pop3d of GNU Mailutils on mbox files, installed on this machine, with a password file of their own."""
import os
import shutil
import subprocess

from chroot import Missing
from support.environment import new_folder, run
from support.dovecot import AS_USER, PASSWORD
from support.processes import free_port, guarded
from server import Server, USERS, mbox

DOMAIN = "bench"


class Mailutils(Server):
    adds_fields = True
    warned = ("without UIDPLUS",)
    skipped = {"names": "a mailbox is one file in the home folder", "idle": "imap4d announces IDLE but sends nothing"}

    def __init__(self, program, chroots):
        self.program = shutil.which(program, path="/usr/sbin:/usr/local/sbin")
        if not self.program:
            raise Missing(f"{program} (scripts/setup interop)")
        self.kind, self.folder_path = program, new_folder("i-" + program)
        os.makedirs(self.folder_path)
        self.log = os.path.join(self.folder_path, "log")
        self.name = f"GNU Mailutils {program}"

    def login(self, user):
        return f"{user}@{DOMAIN}"

    def home(self, user):
        return os.path.join(self.folder_path, user)

    def start(self):
        port = free_port()
        self.imap, self.pop3 = (port, None) if self.kind == "imap4d" else (None, port)
        identity = [run([*AS_USER, "id", word]).strip() for word in ("-u", "-g")]
        secret = run(["openssl", "passwd", "-6", PASSWORD]).strip()
        domains = os.path.join(self.folder_path, "domains")
        os.makedirs(domains)
        # The password file of a virtual domain names the home folders, each with a mailbox.
        with open(os.path.join(domains, DOMAIN), "w") as file:
            for user in USERS:
                os.makedirs(self.home(user))
                open(os.path.join(self.home(user), "INBOX"), "w").close()
                file.write(f"{user}:{secret}:{identity[0]}:{identity[1]}::{self.home(user)}:/bin/sh\n")
        configuration = os.path.join(self.folder_path, "conf")
        login = "login-disabled no;\n" if self.imap else ""
        with open(configuration, "w") as file:
            file.write(f"""mode daemon;
pidfile "{self.folder_path}/pid";
{login}virtdomain {{ passwd-dir "{domains}"; }}
auth {{ authentication generic; authorization virtdomain; }}
logging {{ syslog no; }}
server 127.0.0.1:{port} {{ }}
""")
        if AS_USER:
            run(["chown", "-R", "nobody:nogroup", self.folder_path])
        if self.pop3:
            # Its greeting offers APOP, which libcurl prefers to USER and PASS, without falling back to them.
            secrets = os.path.join(self.folder_path, "apop")
            with open(secrets + ".txt", "w") as file:
                file.write("".join(f"{self.login(user)} {PASSWORD}\n" for user in USERS))
            run(["popauth", "--create", f"--file={secrets}.txt", f"--output={secrets}", "--permissions=600"])
            with open(configuration, "a") as file:
                file.write(f'apop-database-file "{secrets}";\napop-database-safety none;\n'
                           f"apop-database-owner {os.geteuid()};\n")
        words = [self.program, "--foreground", "--no-site-config", f"--config-file={configuration}"]
        with open(self.log, "w") as log:
            self.process = guarded(words, stdout=log, stderr=subprocess.STDOUT)
        self.wait("keep" if self.imap else "pop-keep")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()

    def fill(self, user, messages, folder="INBOX"):
        with open(os.path.join(self.home(user), folder), "ab") as file:
            file.write(mbox(messages))
        if self.imap:
            # imap4d makes up another UIDVALIDITY each second until a client has opened the mailbox for writing.
            session = self.session(user)
            session.select()
            session.fetch("1:*", "(FLAGS)")
            session.logout()
