"""Postfix 3.7 of Debian 12 as the server that letters are handed to: STARTTLS and a login by Dovecot, recipients whom it
refuses, postgrey for one of them, a limit of size, no SMTPUTF8. Letters that it cannot deliver it gives back itself. The
mailboxes are read by Dovecot's IMAP."""
import os
import smtplib
import ssl
import time

from postfix import SERVICES
from server import InChroot, PASSWORD
from support.dovecot import certificates
from support.processes import free_ports

DOMAIN = "corp.example"
# People with mailboxes; mail to others of the domain is taken, and comes back.
PEOPLE = ["funds", "bob", "slow"]
REFUSED, GREYLISTED, UNKNOWN = f"refused@{DOMAIN}", f"slow@{DOMAIN}", f"gone@{DOMAIN}"
GREYLIST_SECONDS = 4
MAX_BYTES = 300_000


class PostfixRelay(InChroot):
    name = "Postfix 3.7 as relay"
    packages = ["postfix", "postgrey", "dovecot-core", "dovecot-imapd", "iproute2"]

    def __init__(self, chroots):
        super().__init__(chroots)
        self.imap, self.submission, self.policy = free_ports(3)
        certificates(self.root.shared)
        self.authority = os.path.join(self.root.shared, "ca.pem")

    def configure(self):
        self.root.write("etc/postfix/main.cf", f"""compatibility_level = 3.6
myhostname = mx.{DOMAIN}
mydestination = {DOMAIN}, mx.{DOMAIN}
mynetworks = 192.0.2.1
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
local_recipient_maps =
alias_maps =
home_mailbox = Maildir/
recipient_delimiter = +
message_size_limit = {MAX_BYTES}
smtputf8_enable = no
smtpd_tls_cert_file = /shared/server.pem
smtpd_tls_key_file = /shared/server.key
smtpd_sasl_type = dovecot
smtpd_sasl_path = private/auth
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_restriction_classes = greylisted
greylisted = check_policy_service inet:127.0.0.1:{self.policy}
smtpd_recipient_restrictions =
    check_recipient_access inline:{{ {{{REFUSED} = 550 5.1.1 no such person here}}, {{{GREYLISTED} = greylisted}} }},
    permit_sasl_authenticated, reject
""")
        self.root.write("etc/postfix/master.cf", f"""127.0.0.1:{self.submission} inet n - n - - smtpd
    -o smtpd_tls_security_level=encrypt
    -o smtpd_tls_auth_only=yes
    -o smtpd_sasl_auth_enable=yes
{SERVICES}""")
        self.root.write("etc/dovecot/dovecot.conf", f"""protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login
mail_location = maildir:~/Maildir
passdb {{
  driver = static
  args = password={PASSWORD}
}}
userdb {{
  driver = passwd
}}
service auth {{
  unix_listener /var/spool/postfix/private/auth {{
    mode = 0660
    user = postfix
    group = postfix
  }}
}}
service imap-login {{
  inet_listener imap {{
    port = {self.imap}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
""")
        people = "\n".join(f"useradd -m {name}" for name in PEOPLE)
        return f"""
hostname mx.{DOMAIN}
mkdir -p /run/dovecot /run/postgrey
{people}
newaliases; postfix start; dovecot
postgrey --inet=127.0.0.1:{self.policy} --delay={GREYLIST_SECONDS} --dbdir=/var/lib/postgrey --daemonize --user=postgrey
"""

    def wait(self, user="funds", seconds=60):
        super().wait(user, seconds)
        context = ssl.create_default_context(cafile=self.authority)
        last = None
        for _ in range(seconds * 10):
            try:
                with smtplib.SMTP("localhost", self.submission, timeout=10) as smtp:
                    smtp.starttls(context=context)
                    smtp.login("funds", PASSWORD)
                return
            except (OSError, smtplib.SMTPException) as error:
                last = error
                time.sleep(0.1)
        raise RuntimeError(f"does not start: {last}")

    def messages(self, user):
        """The messages in the INBOX of a person, as bytes."""
        session = self.session(user)
        try:
            session.select("INBOX", readonly=True)
            numbers = session.search(None, "ALL")[1][0].split()
            return [session.fetch(number, "(BODY.PEEK[])")[1][0][1] for number in numbers]
        finally:
            session.logout()
