"""A Dovecot for the benchmarks, with its own folder, ports and certificates; it ends with the script that started it."""
import os
import pwd
import shutil
import socket
import subprocess
import sys
import time

from harness import HERE, new_folder, run

PASSWORD = "sesame"
# Mail servers refuse to serve root.
AS_USER = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
# Ends the server when standard input ends, which it does when the script has ended in whatever way.
WATCHDOG = 'setsid "$@" </dev/null & server=$!; read -r _; kill -KILL -$server 2>/dev/null; wait'


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def guarded(arguments, **options):
    return subprocess.Popen(["sh", "-c", WATCHDOG, "watchdog", *arguments], stdin=subprocess.PIPE, **options)


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
    def __init__(self, name="d"):  # sockets below it have paths of at most 107 bytes
        if not shutil.which("dovecot", path="/usr/sbin:/usr/bin") or not os.path.exists("/usr/lib/dovecot/imap"):
            sys.exit("Dovecot is not installed: scripts/setup bench")
        # A new one each time: see LEFT in harness.py.
        self.folder = new_folder(name)
        os.makedirs(os.path.join(self.folder, "run"))
        certificates(self.folder)
        self.authority = os.path.join(self.folder, "ca.pem")
        self.ports = {name: free_port() for name in ("imap", "imaps", "pop3", "pop3s")}
        self.configuration = os.path.join(self.folder, "dovecot.conf")
        with open(self.configuration, "w") as file:
            file.write(self.text())
        self.give_away(self.folder)
        self.log = open(os.path.join(self.folder, "log"), "w")
        self.process = guarded([*AS_USER, "/usr/sbin/dovecot", "-F", "-c", self.configuration],
                               stdout=self.log, stderr=self.log)
        for _ in range(1000):
            try:
                with socket.create_connection(("127.0.0.1", self.ports["imap"]), 1) as probe:
                    if probe.recv(100):
                        return
            except OSError:
                time.sleep(0.01)
        sys.exit(f"Dovecot does not start: {self.log.name}")

    def text(self):
        user, group = ("nobody", "nogroup") if AS_USER else (pwd.getpwuid(os.getuid()).pw_name,
                                                             str(os.getgid()))
        listeners = "\n".join(
            f"service {kind}-login {{\n  chroot =\n  service_count = 0\n  inet_listener {kind} {{\n    port = {self.ports[kind]}\n  }}\n"
            f"  inet_listener {kind}s {{\n    port = {self.ports[kind + 's']}\n  }}\n}}" for kind in ("imap", "pop3"))
        return f"""base_dir = {self.folder}/run
state_dir = {self.folder}/run
log_path = /dev/stderr
protocols = imap pop3
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

    def fill(self, user, corpus):
        """Replaces the mail of this user by that of a corpus, with CRLF, and has Dovecot index it."""
        template = os.path.join(self.folder, "template-" + os.path.basename(corpus))
        if not os.path.exists(template):
            os.makedirs(template)
            names = sorted(os.path.join(f, n) for f, _, found in os.walk(corpus) for n in found)
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


class DelayProxy:
    """25 ms each way to a port of the server."""

    def __init__(self, port, milliseconds=25):
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "delay-proxy"), "--to", str(port), "--ms", str(milliseconds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
