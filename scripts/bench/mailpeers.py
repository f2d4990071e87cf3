"""The programs that fetching is compared with: how to make each fetch all of one mailbox into an empty place.

Each is a function of (server, user, port, folder) that gives the command to time, its environment, and a function that
counts what it has; it gives None where the program is missing, and says why."""
import os
import shutil
import subprocess
import sys

from harness import run, say, WORK
from support.dovecot import AS_USER, PASSWORD


def write(path, text, mode=0o600):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def files(*folders):
    return lambda: sum(len(os.listdir(folder)) for folder in folders if os.path.isdir(folder))


def missing(program, package):
    if shutil.which(program):
        return False
    say(f"SKIPPED: {program} is not installed (package {package}; scripts/setup bench)")
    return True


def mbsync(server, user, port, folder):
    """isync: IMAP to a Maildir, durably (FSync is on by default)."""
    if missing("mbsync", "isync"):
        return None
    text = f"""IMAPAccount bench
Host localhost
Port {port}
User {user}
Pass {PASSWORD}
SSLType IMAPS
CertificateFile {server.authority}

IMAPStore far
Account bench

MaildirStore near
Path {folder}/mail/
Inbox {folder}/mail/INBOX

Channel bench
Far :far:
Near :near:
Patterns INBOX
Sync Pull
Create Near
SyncState {folder}/state/
"""
    os.makedirs(f"{folder}/mail")
    os.makedirs(f"{folder}/state")
    configuration = write(f"{folder}/mbsyncrc", text)
    return ["mbsync", "-q", "-c", configuration, "bench"], {}, files(f"{folder}/mail/INBOX/new", f"{folder}/mail/INBOX/cur")


def mpop(server, user, port, folder):
    """mpop: POP3 to a Maildir, pipelined."""
    if missing("mpop", "mpop"):
        return None
    for name in ("cur", "new", "tmp"):
        os.makedirs(f"{folder}/mail/{name}")
    text = f"""defaults
tls on
tls_starttls off
tls_trust_file {server.authority}
account bench
host localhost
port {port}
auth user
user {user}
password {PASSWORD}
delivery maildir {folder}/mail
uidls_file {folder}/uidls
keep on
account default : bench
"""
    configuration = write(f"{folder}/mpoprc", text)
    return ["mpop", "-q", "-C", configuration, "bench"], {}, files(f"{folder}/mail/new")


def getmail(server, user, port, folder):
    """getmail6: IMAP to a Maildir, one message after the other."""
    if missing("getmail", "getmail6"):
        return None
    for name in ("cur", "new", "tmp"):
        os.makedirs(f"{folder}/mail/{name}")
    text = f"""[retriever]
type = SimpleIMAPSSLRetriever
server = localhost
port = {port}
username = {user}
password = {PASSWORD}
ca_certs = {server.authority}
mailboxes = ("INBOX",)
[destination]
type = Maildir
path = {folder}/mail/
[options]
read_all = true
delete = false
verbose = 0
"""
    write(f"{folder}/getmailrc", text)
    # getmail refuses to deliver as root.
    server.give_away(folder)
    return [*AS_USER, "getmail", "-q", "--getmaildir", folder], {"HOME": folder}, files(f"{folder}/mail/new")


DJANGO = """
import os, sys
import django
from django.conf import settings
folder, uri = sys.argv[1:3]
settings.configure(
    INSTALLED_APPS=["django_mailbox"], MEDIA_ROOT=folder + "/media", USE_TZ=True, SECRET_KEY="bench",
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder + "/db.sqlite3"}})
django.setup()
from django.core.management import call_command
from django_mailbox.models import Mailbox, Message
if len(sys.argv) > 3:
    print(Message.objects.count())
elif not os.path.exists(folder + "/db.sqlite3"):
    call_command("migrate", verbosity=0)
    Mailbox.objects.create(name="bench", uri=uri)
else:
    for message in Mailbox.objects.get().get_new_mail():
        pass
"""


def django_mailbox(server, user, port, folder):
    """django-mailbox: IMAP, parsed, rows and attachment files: all that Fundmail does but routing."""
    environment = os.path.join(WORK, "django-venv")
    python = os.path.join(environment, "bin", "python")
    if not os.path.exists(python):
        made = subprocess.run([sys.executable, "-m", "venv", environment], capture_output=True)
        if made.returncode == 0:
            made = subprocess.run([python, "-m", "pip", "install", "-q", "django", "django-mailbox"], capture_output=True)
        if made.returncode != 0:
            shutil.rmtree(environment, ignore_errors=True)
            say("SKIPPED: django-mailbox cannot be installed from PyPI into a virtual environment")
            return None
    program = write(f"{folder}/bench.py", DJANGO)
    # django-mailbox does not make Python's imaplib verify certificates.
    uri = f"imap+ssl://{user}:{PASSWORD}@localhost:{port}"
    run([python, program, folder, uri])
    return [python, program, folder, uri], {}, lambda: int(run([python, program, folder, uri, "count"]))
