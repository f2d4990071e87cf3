internal import Glibc

extension DovecotServer {
    static func writeConfiguration(
        _ options: Options, ports: Ports, authority: TestAuthority, in folder: String
    ) throws {
        for name in ["run", "mail", "home", "keys", "keys/default", "keys/default/HS256"] {
            try TestFile.makeDirectory("\(folder)/\(name)")
        }
        try TestFile.write(BearerToken.base64(BearerToken.key.utf8), to: "\(folder)/keys/default/HS256/default")
        // Tokens are checked by their signature; no other server is asked.
        let tokens = """
            introspection_mode = local
            local_validation_key_dict = fs:posix:prefix=\(folder)/keys/
            username_attribute = sub

            """
        try TestFile.write(tokens, to: "\(folder)/oauth2.conf")
        let text = configuration(options, ports: ports, authority: authority, in: folder)
        try TestFile.write(text, to: "\(folder)/dovecot.conf")
        if geteuid() == 0 { try ToolRun.output(["chown", "-R", "nobody:nogroup", folder]) }
    }

    /// Works for an ordinary user: no chroot, no change of user, no port below 1024, nothing outside the folder.
    private static func configuration(
        _ options: Options, ports: Ports, authority: TestAuthority, in folder: String
    ) -> String {
        let (user, group) = account
        return """
            base_dir = \(folder)/run
            state_dir = \(folder)/run
            log_path = /dev/stderr
            protocols = imap pop3
            listen = 127.0.0.1
            default_internal_user = \(user)
            default_internal_group = \(group)
            default_login_user = \(user)
            mail_uid = \(user)
            mail_gid = \(group)
            mail_location = maildir:~/Maildir
            # Copies are the bytes that were delivered.
            mail_save_crlf = yes
            mail_max_userip_connections = 1000
            # Tests wait for no disk but their own.
            mail_fsync = never
            # Somebody who tries wrong passwords on purpose is not slowed down.
            auth_failure_delay = 0
            auth_mechanisms = \(options.mechanisms)
            auth_username_format = %u
            disable_plaintext_auth = no
            ssl = yes
            ssl_cert = <\(authority.certificatePath(options.certificate))
            ssl_key = <\(authority.keyPath(options.certificate))
            ssl_dh =
            passdb {
              driver = oauth2
              mechanisms = oauthbearer xoauth2
              args = \(folder)/oauth2.conf
            }
            passdb {
              driver = static
              mechanisms = plain login cram-md5
              args = password=\(password)
            }
            userdb {
              driver = static
              args = uid=\(user) gid=\(group) home=\(folder)/home/%u allow_all_users=yes
            }
            namespace inbox {
              inbox = yes
              separator = /
            }
            service anvil {
              chroot =
              client_limit = 5000
              # Nor is anybody else who comes from the same address.
              unix_listener anvil-auth-penalty {
                mode = 0
              }
            }
            service auth {
              client_limit = 5000
            }
            service stats {
              chroot =
            }
            service imap-login {
              chroot =
              service_count = 0
              process_min_avail = 1
              inet_listener imap {
                port = \(ports.imap)
              }
              inet_listener imaps {
                port = \(ports.imaps)
              }
            }
            service pop3-login {
              chroot =
              service_count = 0
              inet_listener pop3 {
                port = \(ports.pop3)
              }
              inet_listener pop3s {
                port = \(ports.pop3s)
              }
            }
            # Processes that serve one session after the other: thousands of short ones are cheap.
            service imap {
              service_count = 0
            }
            service pop3 {
              service_count = 0
            }
            \(options.capability.map { "imap_capability = \($0)" } ?? "")
            \(options.configuration)

            """
    }

    private static var account: (user: String, group: String) {
        if geteuid() == 0 { return ("nobody", "nogroup") }
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
        let group = getgrgid(getegid()).map { String(cString: $0.pointee.gr_name) }
        return (user ?? "\(geteuid())", group ?? "\(getegid())")
    }
}
