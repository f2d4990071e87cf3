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

        # How long raw messages stay after filing: keep, or a number of days. Misrouted mail always stays.
        retention: {raw: keep}

        # Mailboxes that are polled. `fundmail replay --as NAME` applies the trust of one of them to files.
        #mailboxes:
        #  - name: funds
        #    # imaps, imap (STARTTLS), pop3s or pop3 (STLS); write an @ in the user as %40
        #    url: imaps://funds%40corp.example@mail.corp.example/INBOX
        #    # one of: password_file, password_env, oauth2: {token_command: "…"}
        #    password_file: /run/secrets/funds
        #    # only for a private certificate authority
        #    tls_ca_file: /etc/fundmail/ca.pem
        #    # delete, {move: Processed}, flag or keep; after_misrouted likewise, for mail that was kept but not filed
        #    after: keep
        #    interval: 60s
        #    idle: true
        #    # Which server's Authentication-Results count. `require: none` believes every From field.
        #    # authserv_id: topmost-without-id is for Exchange Online, whose field names no server.
        #    # own_received: how many Received fields your own servers write above that field.
        #    trust: {authserv_id: mx.corp.example, require: dmarc, own_received: 0}

        # Where the web server listens.
        #server: {listen: 127.0.0.1:8080, tls: {certificate: cert.pem, key: key.pem}, public_url: https://funds.corp.example}

        """
}
