"""A Dovecot on loopback with its own folder, ports and certificates, which ends with the script that started it."""
import os
import pwd
import shutil
import socket
import sys

from support.environment import run
from support.processes import free_ports, guarded, wait_until

PASSWORD = "sesame"
# Mail servers refuse to serve root.
AS_USER = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []


def certificates(folder):
    """An authority and a certificate for localhost."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    run(["openssl", "req", "-x509", *key, "-days", "30", "-subj", "/CN=fundmail-bench", "-keyout", f"{folder}/ca.key",
         "-out", f"{folder}/ca.pem"])
    run(["openssl", "req", *key, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", f"{folder}/server.key", "-out", f"{folder}/server.csr"])
    run(["openssl", "x509", "-req", "-in", f"{folder}/server.csr", "-CA", f"{folder}/ca.pem", "-CAkey",
         f"{folder}/ca.key", "-CAcreateserial", "-copy_extensions", "copy", "-days", "30", "-out",
         f"{folder}/server.pem"])


class Dovecot:
    """
    :param folder: a new one; sockets below it have paths of at most 107 bytes
    """

    def __init__(self, folder):
        if not os.path.exists("/usr/sbin/dovecot") or not os.path.exists("/usr/lib/dovecot/imap"):
            sys.exit("Dovecot is not installed: scripts/setup demo")
        self.folder = folder
        os.makedirs(os.path.join(self.folder, "run"))
        certificates(self.folder)
        self.authority = os.path.join(self.folder, "ca.pem")
        # The package of POP3 is another one.
        self.protocols = [name for name in ("imap", "pop3") if os.path.exists(f"/usr/lib/dovecot/{name}")]
        names = [name + tls for name in self.protocols for tls in ("", "s")]
        self.ports = dict(zip(names, free_ports(len(names))))
        self.configuration = os.path.join(self.folder, "dovecot.conf")
        with open(self.configuration, "w") as file:
            file.write(self.text())
        self.give_away(self.folder)
        self.log = open(os.path.join(self.folder, "log"), "w")
        self.process = guarded([*AS_USER, "/usr/sbin/dovecot", "-F", "-c", self.configuration],
                               stdout=self.log, stderr=self.log)
        wait_until(self.greets, f"Dovecot does not greet, see {self.log.name},", pause=0.01)

    def greets(self):
        """Whether it does: it listens before it can."""
        try:
            with socket.create_connection(("127.0.0.1", self.ports["imap"]), 10) as probe:
                return bool(probe.recv(100))
        except OSError:
            return False

    def text(self):
        user, group = ("nobody", "nogroup") if AS_USER else (pwd.getpwuid(os.getuid()).pw_name,
                                                             str(os.getgid()))
        listeners = "\n".join(
            f"service {kind}-login {{\n  chroot =\n  service_count = 0\n  inet_listener {kind} {{\n    port = {self.ports[kind]}\n  }}\n"
            f"  inet_listener {kind}s {{\n    port = {self.ports[kind + 's']}\n  }}\n}}" for kind in self.protocols)
        return f"""base_dir = {self.folder}/run
state_dir = {self.folder}/run
log_path = /dev/stderr
protocols = {" ".join(self.protocols)}
listen = 127.0.0.1
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
auth_mechanisms = plain login
disable_plaintext_auth = no
mail_location = maildir:~/Maildir
mail_max_userip_connections = 100
ssl = yes
ssl_cert = <{self.folder}/server.pem
ssl_key = <{self.folder}/server.key
ssl_dh =
passdb {{
  driver = static
  args = password={PASSWORD}
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={self.folder}/home/%u allow_all_users=yes
}}
service anvil {{
  chroot =
}}
service auth {{
  client_limit = 5000
}}
service stats {{
  chroot =
}}
{listeners}
"""

    def give_away(self, path):
        if AS_USER:
            run(["chown", "-R", "nobody:nogroup", path])

    def maildir(self, user):
        return os.path.join(self.folder, "home", user, "Maildir")

    def fill(self, user, *places):
        """Replaces the mail of this user by the files at and below some places, with CRLF, and has Dovecot index it.
        Gives the number of messages."""
        names = sorted(os.path.join(folder, name) for place in places for folder, _, found in os.walk(place)
                       for name in found if name.endswith(".eml"))
        names += [place for place in places if os.path.isfile(place)]
        template = os.path.join(self.folder, "template-" + "-".join(map(os.path.basename, places)))
        if not os.path.exists(template):
            os.makedirs(template)
            for number, name in enumerate(names):
                size, partial = 0, os.path.join(self.folder, "partial")
                with open(name, "rb") as file, open(partial, "wb") as converted:
                    for line in file:
                        if line.endswith(b"\n"):
                            line = line[:-1].removesuffix(b"\r") + b"\r\n"
                        size += converted.write(line)
                os.rename(partial, f"{template}/1700000000.M{number:09}.bench,S={size},W={size}")
        home = os.path.dirname(self.maildir(user))
        shutil.rmtree(home, ignore_errors=True)
        for name in ("cur", "new", "tmp"):
            os.makedirs(os.path.join(self.maildir(user), name))
        for name in os.listdir(template):
            os.link(os.path.join(template, name), os.path.join(self.maildir(user), "new", name))
        self.give_away(os.path.join(self.folder, "home"))
        self.doveadm("fetch", "-u", user, "uid size.virtual", "mailbox", "INBOX")
        return len(os.listdir(template))

    def deliver(self, user, data, number):
        """One new message, as a mail system delivers it."""
        name = f"1800000000.M{number:09}.bench,S={len(data)},W={len(data)}"
        with open(os.path.join(self.maildir(user), "tmp", name), "wb") as file:
            file.write(data)
        os.rename(os.path.join(self.maildir(user), "tmp", name), os.path.join(self.maildir(user), "new", name))

    def doveadm(self, *words):
        return run([*AS_USER, "doveadm", "-c", self.configuration, *words])

    def stop(self):
        self.process.stdin.close()
        self.process.wait()

    def mailbox(self, user):
        """The lines of fundmail.yaml for this user's INBOX."""
        return f"""mailboxes:
  - name: {user}
    url: imaps://{user}@localhost:{self.ports["imaps"]}/INBOX
    password: {PASSWORD}
    tls_ca_file: {self.authority}
    after: delete
    trust: {{require: none}}
"""
