/// What `init` writes: all settings, those that stand for their defaults commented out.
enum ConfigurationTemplate {
    static let text = """
        # Fundmail's configuration. Relative paths start at the folder of this file. An unknown key is an error.
        # `fundmail doctor` checks it.

        # Rows, raw messages and files. Keep it on a local file system; back it up as a whole.
        store: ./store

        # What one message may cost. Over it, it is kept as it came and reported. The message size must stay below 2 GiB.
        limits: {message: 100MB, parts: 1000, depth: 30}

        # Which tags in a subject are not funds, and what separates ann+anything@example.com ("" for nothing).
        routing: {ignore_tags: [EXTERNAL, EXT, SPAM], subaddress_separator: "+"}

        # How long raw messages stay after filing: keep, or a number of days. Misrouted mail always stays. And how many
        # days what users delete can be restored.
        retention: {raw: keep, deleted: 30}

        # Mailboxes that are polled: take away the # in front of the lines that you need.
        # `fundmail doctor` tries them and changes nothing there; `fundmail poll` files what waits, `fundmail watch` what arrives.
        #mailboxes:
        #  # Names it in commands and reports; `fundmail replay --as funds` applies its trust to files.
        #  - name: funds
        #    # imaps, imap (STARTTLS, always), pop3s or pop3 (STLS, always); [:port]; then a folder, INBOX unless given. An @ in
        #    # the user is written %40, a space in the folder %20.
        #    url: imaps://funds%40corp.example@mail.corp.example/INBOX
        #    # The login, one of: password_file, password_env (the name of an environment variable), password, or oauth2 with one
        #    # of {token_command: "…"} (prints a token; run again when it is refused; of our environment it gets PATH, HOME, LANG
        #    # and what pass_env: [NAME, …] beside it names), {token_file: …}, {token_env: …}.
        #    # ${CREDENTIALS_DIRECTORY}/secret_funds is the file /etc/fundmail/secrets/funds for the services of systemd.
        #    password_file: /run/secrets/funds
        #    # Only for a private certificate authority: its certificate, PEM.
        #    tls_ca_file: /etc/fundmail/ca.pem
        #    # `tls: off` is for imap:// and pop3:// on this machine alone.
        #    tls: on
        #    # What becomes of the server's copy once a message is safe here: delete, {move: Processed} (the folder is made), flag, or
        #    # keep (nothing; it is remembered here). POP3 can delete and keep.
        #    after: keep
        #    # The same for what was kept here but not filed (misrouted, rejected); as `after` unless given.
        #    after_misrouted: keep
        #    # How often `watch` looks when the server does not tell of new mail, and whether it is asked to (IMAP IDLE).
        #    interval: 60s
        #    idle: true
        #    # What one run of `poll` may take here; the next one goes on where it ended.
        #    run_limit: 30m
        #    # Whom to believe about senders. require: dmarc wants an Authentication-Results field of the server authserv_id (how
        #    # yours calls itself there; topmost-without-id for Exchange Online, which does not). own_received: how many Received
        #    # fields your own servers write above that field; `fundmail doctor` finds it out. submission_domains: for senders there
        #    # the server's auth=pass counts, too, which it writes for those who log in. require: none believes every From field.
        #    # docs/trust.md has what Postfix, rspamd, Exchange Online, Google, Dovecot and Cisco write.
        #    trust: {authserv_id: mx.corp.example, require: dmarc, own_received: 0}

        # Where `fundmail serve` listens, and what it is called from outside. Without tls it takes only addresses of this machine,
        # unless `behind_proxy: true` (a proxy in front of it encrypts, and is believed about clients) or `tls: off` is written out.
        # tokens: how long tablets and browsers stay signed in after their last request. x_accel_redirect lets nginx send the
        # files: see docs/server.md.
        #server:
        #  listen: 127.0.0.1:8080
        #  tls: {certificate: cert.pem, key: key.pem}
        #  public_url: https://funds.corp.example
        #  tokens: {mobile: 1h, web: 12h}
        #  behind_proxy: false
        #  x_accel_redirect: /blobs/

        """
}
