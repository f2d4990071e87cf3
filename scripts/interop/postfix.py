"""Postfix 3.7 of Debian 12 with the milters OpenDKIM and OpenDMARC on one port, and rspamd on another. They add
Authentication-Results (RFC 8601): the first two above Postfix's own Received, rspamd below it.

It runs in a network namespace of its own, with a DNS server for two domains. Mail comes in by sockets in the shared
folder, one for each client and port."""
import os
import smtplib
import socket
import time

from server import InChroot

MX, STRANGER, COLLEAGUE = "192.0.2.1", "203.0.113.5", "192.0.2.77"
AUTHSERV_ID = "mx.corp.example"
PORTS = {"opendmarc": 25, "rspamd": 2525}
# Of master.cf, behind the lines of what takes mail in.
SERVICES = """pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
smtp unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
tlsmgr unix - - n 1000? 1 tlsmgr
"""


class OverSocket(smtplib.SMTP):
    """SMTP over a socket in the file system."""

    def _get_socket(self, host, port, timeout):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(timeout)
        connection.connect(host)
        return connection


class Postfix(InChroot):
    name = "Postfix 3.7 + milters"
    packages = ["postfix", "opendmarc", "opendkim", "rspamd", "dnsmasq", "iproute2", "socat"]

    def configure(self):
        records = []
        for domain in ("example.com", "corp.example"):
            records += [f'txt-record={domain},"v=spf1 ip4:{STRANGER} -all"',
                        f'txt-record=_dmarc.{domain},"v=DMARC1; p=none"',
                        f"mx-host={domain},mail.{domain},10", f"address=/mail.{domain}/{STRANGER}"]
        self.root.write("etc/dnsmasq.conf", "\n".join([
            "no-resolv", "no-hosts", "listen-address=127.0.0.1", "bind-interfaces", "user=root", "local=/#/",
            "ptr-record=5.113.0.203.in-addr.arpa,mail.example.com", f"address=/{AUTHSERV_ID}/{MX}", *records, ""]))
        self.root.write("etc/opendkim.conf", f"""Syslog yes
Mode v
Socket inet:8891@127.0.0.1
UserID opendkim
AuthservID {AUTHSERV_ID}
PidFile /run/opendkim.pid
Nameservers 127.0.0.1
""")
        self.root.write("etc/opendmarc.conf", f"""Syslog yes
Socket inet:8893@127.0.0.1
UserID opendmarc
AuthservID {AUTHSERV_ID}
TrustedAuthservIDs {AUTHSERV_ID}
PublicSuffixList /usr/share/publicsuffix/public_suffix_list.dat
SPFSelfValidate yes
SPFIgnoreResults no
IgnoreAuthenticatedClients no
PidFile /run/opendmarc.pid
""")
        local = "etc/rspamd/local.d/"
        self.root.write(local + "worker-proxy.inc", 'bind_socket = "127.0.0.1:11332";\nmilter = yes;\n'
                                                    'upstream "local" { default = yes; self_scan = yes; }\n')
        self.root.write(local + "worker-normal.inc", "enabled = false;\n")
        self.root.write(local + "worker-controller.inc", "enabled = false;\n")
        self.root.write(local + "options.inc", 'dns { nameserver = ["127.0.0.1"]; }\nlocal_addrs = [127.0.0.0/8];\n')
        self.root.write(local + "milter_headers.conf",
                        'use = ["authentication-results"];\nskip_authenticated = false;\n')
        self.root.write(local + "logging.inc", 'type = "syslog";\n')
        for module in ("rbl", "surbl", "fuzzy_check", "asn", "greylist", "once_received", "hfilter"):
            self.root.write(local + module + ".conf", "enabled = false;\n")
        self.root.write("etc/postfix/main.cf", f"""compatibility_level = 3.6
myhostname = {AUTHSERV_ID}
mydestination = corp.example, {AUTHSERV_ID}
mynetworks = 127.0.0.0/8
inet_interfaces = {MX}, 127.0.0.1
inet_protocols = ipv4
local_recipient_maps =
alias_maps =
virtual_alias_maps = regexp:/etc/postfix/virtual
home_mailbox = Maildir/
smtpd_authorized_xclient_hosts = {COLLEAGUE}
milter_default_action = tempfail
smtpd_tls_security_level = none
""")
        self.root.write("etc/postfix/virtual", "/^funds@/ funds\n")
        self.root.write("etc/postfix/master.cf", f"""{MX}:25 inet n - n - - smtpd
    -o smtpd_milters=inet:127.0.0.1:8891,inet:127.0.0.1:8893
{MX}:2525 inet n - n - - smtpd -o smtpd_milters=inet:127.0.0.1:11332
{SERVICES}""")
        clients = (("stranger", STRANGER), ("colleague", COLLEAGUE))
        bridges = "\n".join(f"socat UNIX-LISTEN:/shared/{client}-{milter},fork TCP:{MX}:{port},bind={address} &"
                            for client, address in clients for milter, port in PORTS.items())
        return f"""
ip link set lo up
for address in {MX} {STRANGER} {COLLEAGUE}; do ip addr add $address/32 dev lo; done
hostname {AUTHSERV_ID}
echo nameserver 127.0.0.1 > /run/resolv.conf; mount --bind /run/resolv.conf /etc/resolv.conf
mkdir -p /run/opendkim /run/opendmarc /run/rspamd /shared/home
useradd -d /shared/home -m funds; chown funds /shared/home
dnsmasq; opendkim -x /etc/opendkim.conf; opendmarc -c /etc/opendmarc.conf
rspamd -u _rspamd -g _rspamd
newaliases; postfix start
{bridges}
"""

    def start(self):
        self.root.start(self.configure(), network=False)
        self.wait()

    def wait(self, seconds=240):
        """rspamd first compiles its patterns, which takes minutes on a busy machine."""
        for _ in range(seconds * 10):
            if all(os.path.exists(os.path.join(self.root.shared, "colleague-" + milter)) for milter in PORTS):
                try:
                    for milter in PORTS:
                        self.connect("stranger", milter).quit()
                    return
                except (OSError, smtplib.SMTPException):
                    pass
            time.sleep(0.1)
        raise RuntimeError("does not start")

    def connect(self, client, milter):
        path = os.path.join(self.root.shared, f"{client}-{milter}")
        return OverSocket(path, local_hostname="mail.example.com", timeout=60)

    def send(self, client, milter, text, envelope, login=None):
        """One message; with `login` as if the client had logged in by that name (Postfix's XCLIENT)."""
        with self.connect(client, milter) as smtp:
            smtp.ehlo()
            if login:
                smtp.docmd("XCLIENT", f"LOGIN={login}")
                smtp.ehlo()
            smtp.sendmail(envelope, ["funds@corp.example"], text)

    def received(self, count, seconds=30):
        """The messages that were delivered, oldest first."""
        folder = os.path.join(self.root.shared, "home", "Maildir", "new")
        for _ in range(seconds * 10):
            names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
            if len(names) >= count:
                break
            time.sleep(0.1)
        texts = []
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                texts.append(file.read())
        return texts
