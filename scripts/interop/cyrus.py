"""Cyrus 3.6 of Debian 12: rights are ACLs (RFC 4314), and a full quota refuses with OVERQUOTA."""
from support.dovecot import PASSWORD
from server import BelowInbox, USERS, quoted


class Cyrus(BelowInbox):
    name = "Cyrus 3.6"
    packages = ["cyrus-imapd", "cyrus-pop3d", "sasl2-bin", "libsasl2-modules"]
    shared = "user.bob.Team"

    def configure(self):
        self.root.write("etc/imapd.conf", """configdirectory: /var/lib/cyrus
proc_path: /run/cyrus/proc
mboxname_lockpath: /run/cyrus/lock
defaultpartition: default
partition-default: /var/spool/cyrus/mail
altnamespace: no
unixhierarchysep: no
servername: localhost
admins: cyrus
allowplaintext: yes
popminpoll: 0
sasl_pwcheck_method: auxprop
sasl_mech_list: PLAIN
idlesocket: /run/cyrus/socket/idle
lmtpsocket: /run/cyrus/socket/lmtp
notifysocket: /run/cyrus/socket/notify
duplicatesuppression: no
munge8bit: no
""")
        self.root.write("etc/cyrus.conf", f"""START {{
  recover cmd="/usr/sbin/cyrus ctl_cyrusdb -r"
  idled cmd="idled"
}}
SERVICES {{
  imap cmd="imapd -U 30" listen="127.0.0.1:{self.imap}" prefork=1 maxchild=100
  pop3 cmd="pop3d -U 30" listen="127.0.0.1:{self.pop3}" prefork=0 maxchild=50
}}
EVENTS {{
}}
""")
        accounts = "\n".join(f"echo {PASSWORD} | saslpasswd2 -p -c -u localhost {user}" for user in ["cyrus", *USERS])
        return f"""
mkdir -p /run/cyrus/proc /run/cyrus/lock /run/cyrus/socket; chown -R cyrus:mail /run/cyrus
{accounts}
chown cyrus /etc/sasldb2
/usr/lib/cyrus/bin/master -M /etc/cyrus.conf -C /etc/imapd.conf -p /run/cyrus/master.pid &
"""

    def start(self):
        self.root.start(self.configure())
        self.wait("cyrus")
        admin = self.session("cyrus")
        for user in USERS:
            admin.create(quoted("user." + user))
        admin.setquota(quoted("user.quota"), f"(STORAGE {self.quota_kibibytes})")
        admin.logout()
