"""Dovecot 2.4 of Debian 13: its new configuration, a shared namespace with ACLs, OVERQUOTA, and login by OAuth with a
token that a web server in this program confirms."""
import json

from support import web
from support.dovecot import PASSWORD
from server import USERS, WithQuota

TOKEN = "a-token-for-oauth"


class Introspection(web.Handler):
    """RFC 7662: whose token it is, and whether it is in force."""

    def do_GET(self):
        good = self.headers.get("Authorization") == f"Bearer {TOKEN}"
        body = json.dumps({"active": good, "username": "oauth"} if good else {"active": False}).encode()
        self.answer(body, "application/json", 200 if good else 401)


class Dovecot24(WithQuota):
    name = "Dovecot 2.4"
    release = "trixie"
    packages = ["dovecot-imapd", "dovecot-pop3d"]
    shared = "shared/bob/Team"
    token = TOKEN

    def configure(self):
        self.introspection = web.start(Introspection)
        self.root.write("etc/dovecot/dovecot.conf", f"""dovecot_config_version = 2.4.1
dovecot_storage_version = 2.4.1
protocols = imap pop3
listen = 127.0.0.1
ssl = no
auth_allow_cleartext = yes
auth_mechanisms = plain login oauthbearer xoauth2
log_path = /dev/stderr
mail_driver = maildir
mail_path = ~/Maildir
mail_uid = mail
mail_gid = mail
first_valid_uid = 1
mail_max_userip_connections = 100
mail_plugins {{
  acl = yes
  quota = yes
}}
acl_driver = vfile
acl_sharing_map {{
  dict file {{
    path = /srv/shared.db
  }}
}}
protocol imap {{
  mail_plugins {{
    imap_acl = yes
    imap_quota = yes
  }}
}}
quota "User quota" {{
}}
oauth2 {{
  introspection_mode = auth
  introspection_url = http://127.0.0.1:{self.introspection.server_address[1]}/
  username_attribute = username
}}
passdb passwd-file {{
  passwd_file_path = /etc/dovecot/users
}}
userdb passwd-file {{
  passwd_file_path = /etc/dovecot/users
}}
namespace inbox {{
  inbox = yes
  separator = /
}}
namespace shared {{
  type = shared
  separator = /
  prefix = shared/$user/
  mail_driver = maildir
  mail_path = %{{owner_home}}/Maildir
  mail_index_private_path = ~/Maildir/shared/%{{owner_user}}
  subscriptions = no
  list = children
}}
service imap-login {{
  inet_listener imap {{
    port = {self.imap}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service pop3-login {{
  inet_listener pop3 {{
    port = {self.pop3}
  }}
  inet_listener pop3s {{
    port = 0
  }}
}}
""")
        extra = {"quota": f"userdb_quota_storage_size={self.quota_kibibytes}K"}
        users = (f"{user}:{{PLAIN}}{PASSWORD}:8:8::/shared/{user}::{extra.get(user, '')}\n" for user in USERS)
        self.root.write("etc/dovecot/users", "".join(users))
        return "mkdir -p /run/dovecot; chown mail:mail /srv /shared; dovecot -F 2>&1 &"

    def stop(self):
        super().stop()
        self.introspection.shutdown()
