import DriveBridge
import ArgumentParser
import MailConnection
import TestSupport
import Foundation
import FundCore
import FundPreview
import MailFetch
import MailSend
import MailWatch
import Testing

@testable import FundmailCLI

/// Every mistake names its place; what is right is taken as written.
@Suite struct ConfigurationTests {
    private static func mailbox(_ lines: String...) -> String {
        let all = ["name: funds", "url: imaps://f%40c.example@mail.c.example/INBOX", "password_env: P"] + lines
        return "store: s\nmailboxes:\n  - " + all.joined(separator: "\n    ") + "\n"
    }

    private static let trusting = "trust: {require: dmarc, authserv_id: mx.c.example}"

    @Test func templateIsValidWithAndWithoutComments() throws {
        let plain = try ConfigurationDecoder.decode(ConfigurationTemplate.text, file: "/etc/fm/fundmail.yaml")
        #expect(plain.store == "/etc/fm/store")
        #expect(plain.limits == ParseLimits())
        #expect(plain.warnings.isEmpty)
        // Settings that are commented out must be valid once the mark is removed.
        let lines = ConfigurationTemplate.text.split(separator: "\n").map { line in
            line.hasPrefix("#") && (!line.hasPrefix("# ") || line.hasPrefix("#  "))
                ? String(line.dropFirst()) : String(line)
        }
        let whole = try ConfigurationDecoder.decode(lines.joined(separator: "\n"), file: "fundmail.yaml")
        #expect(whole.mailboxes.count == 1)
        #expect(whole.server?.tls?.keyFile == "key.pem")
        #expect(whole.mailboxes.first?.server.user == "funds@corp.example")
        #expect(whole.smtp?.login?.user == "funds@corp.example" && whole.smtp?.from.name == "Fundmail")
        #expect(whole.profiles.authorityFile == "ca.pem" && whole.profiles.mail?.smtp.port == 465)
    }

    /// Examples that people copy must work.
    @Test func mailboxOfTheDocumentationIsValid() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../docs/operating.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        let block = try #require(text.split(separator: "```yaml\n").dropFirst().first?.split(separator: "```").first)
        let decoded = try ConfigurationDecoder.decode("store: ./store\n\(block)", file: "company/fundmail.yaml")
        let mailbox = try #require(decoded.mailboxes.first)
        #expect(mailbox.after == .delete && mailbox.credential == .passwordFile("company/funds.password"))
        #expect(decoded.warnings.isEmpty)
        let letters = try #require(
            text.split(separator: "```yaml\nsmtp:").dropFirst().first?.split(separator: "```").first)
        let smtp = try ConfigurationDecoder.decode("store: ./store\nsmtp:\(letters)", file: "company/fundmail.yaml")
            .smtp
        #expect(smtp?.login?.credential == .passwordFile("company/funds.password") && smtp?.usesTLS == true)
        let devices = try #require(
            text.split(separator: "```yaml\nprofiles:").dropFirst().first?.split(separator: "```").first)
        let profiles = try ConfigurationDecoder.decode("store: s\nprofiles:\(devices)", file: "company/fundmail.yaml")
            .profiles
        #expect(profiles.identity?.keyFile == "/etc/fundmail/profiles.key" && profiles.organization == "Corp Example")
        #expect(profiles.mail?.imap == .init(host: "mail.corp.example", port: 993))
    }

    @Test(arguments: [
        (nil, "${CREDENTIALS_DIRECTORY}/secret_funds"), ("/run/credentials/u", "/run/credentials/u/secret_funds"),
    ])
    func secretsOfAService(folder: String?, expected: String) throws {
        let text = Self.mailbox("password_file: ${CREDENTIALS_DIRECTORY}/secret_funds", Self.trusting)
            .replacing("\n    password_env: P", with: "")
        let decoded = try ConfigurationDecoder.decode(text, file: "/etc/f.yaml", credentialsFolder: folder)
        #expect(decoded.mailboxes.first?.credential == .passwordFile(expected))
    }

    @Test func wholeContract() throws {
        let text = """
            store: ./data/store
            mailboxes:
              - name: funds
                url: imap://u@127.0.0.1:1143/In%20box
                password_file: secret
                tls: off
                after: {move: Processed}
                after_misrouted: flag
                interval: 5m
                run_limit: 2h
                idle: no
                trust: {authserv_id: topmost-without-id, require: dmarc, own_received: 2}
              - name: pop
                url: pop3s://u@[::1]
                oauth2: {token_command: get-token, pass_env: [CREDENTIALS_DIRECTORY]}
                after: delete
                trust: {require: none}
            routing: {ignore_tags: [EXT], subaddress_separator: ""}
            limits: {message: 2000MB, parts: 10, depth: 5}
            quota: {person: 50GB, store: 2TB}
            retention: {raw: 30, deleted: keep}
            digests: {hour: 0}
            scan: {clamd: clamd.sock, unscanned: hold, limit: 5m}
            server: {listen: "[::1]:81", public_url: "https://x.example/", tokens: {mobile: 2h},
              second_factor: {required_for: administrators}}
            smtp: {url: "smtp://127.0.0.1:25", tls: off, from: "基金 <funds@corp.example>", hello: Funds.example,
              per_hour: 9, per_person: 8, attachments: 5MB}
            """
        let configuration = try ConfigurationDecoder.decode(text, file: "/etc/fundmail.yaml")
        #expect(configuration.store == "/etc/data/store" && configuration.digestHour == 0)
        let (imap, pop) = (configuration.mailboxes[0], configuration.mailboxes[1])
        #expect(imap.server.mailbox == "In box" && imap.server.port == 1143 && !imap.usesTLS && !imap.usesIdle)
        #expect(imap.credential == .passwordFile("/etc/secret"))
        #expect(
            imap.after == .move(folder: "Processed") && imap.afterMisrouted == .flagged && imap.intervalSeconds == 300)
        #expect(imap.runLimitSeconds == 7200 && pop.runLimitSeconds == 1800)
        #expect(imap.trust == .dmarc(authservID: .topmostWithoutID, ownReceivedFields: 2))
        #expect(pop.credential == .oauth2(.command("get-token", passing: ["CREDENTIALS_DIRECTORY"])))
        #expect(pop.server.host == "::1" && pop.server.port == 995 && pop.server.mailbox == "INBOX")
        #expect(pop.after == .delete && pop.afterMisrouted == .delete && pop.trust == .vouched)
        #expect(configuration.warnings.count == 3, "tls: off on loopback twice, and require: none")
        let smtp = try #require(configuration.smtp)
        #expect(smtp.address.server.port == 25 && !smtp.usesTLS && smtp.login == nil && smtp.from.name == "基金")
        #expect(smtp.helloName == "funds.example" && smtp.limits == OutboxLimits(perHour: 9))
        #expect(smtp.perPerson == 8 && smtp.maxAttachmentBytes == 5_000_000)
        #expect(configuration.routing.ignoredTags == ["EXT"] && configuration.routing.subaddressSeparator.isEmpty)
        #expect(configuration.limits.maxMessageBytes == 2_000_000_000 && configuration.limits.maxDepth == 5)
        #expect(configuration.quota == StorageLimits(person: 50_000_000_000, store: 2_000_000_000_000))
        #expect(configuration.retention == Retention(rawDays: 30, deletedDays: nil))
        let scan = try #require(configuration.scan)
        #expect(scan.socket.hasSuffix("/clamd.sock") && scan.holdsUnscanned && scan.limitSeconds == 300)
        #expect(configuration.server?.mobileTokenSeconds == 7200 && configuration.server?.webTokenSeconds == 43200)
        #expect(configuration.server?.secondFactor == .administrators)
        #expect(configuration.server?.host == "::1" && configuration.server?.publicURL == "https://x.example")
    }

    @Test func receiptsAreReadFromTheConfiguration() throws {
        func decode(_ trust: String, _ receipts: String, smtp: Bool = true) throws -> Configuration {
            let letters = smtp ? "smtp: {url: smtps://h, from: funds@corp.example}\n" : ""
            return try ConfigurationDecoder.decode(Self.mailbox(trust, receipts) + "\n" + letters, file: "f.yaml")
        }
        let proving = "trust: {authserv_id: mx.corp.example, require: dmarc}"
        let problems = try decode(proving, "receipts: problems")
        #expect(problems.mailboxes.first?.receipts == .problems && problems.receipts != nil)
        #expect(problems.warnings.isEmpty)
        let reference = SourceReference(mailbox: problems.mailboxes.first?.name, place: "1")
        let policy = problems.policy(for: reference, trust: .vouched)
        #expect(policy.receipts == .problems && policy.trust == problems.mailboxes.first?.trust)
        #expect(problems.policy(for: SourceReference(place: "a.eml"), trust: .vouched).receipts == .off)
        let unproving = try decode("trust: {require: none}", "receipts: all")
        #expect(unproving.warnings.contains { $0.contains("fundmail user address answer") })
        let off = try decode(proving, "receipts: off", smtp: false)
        #expect(off.mailboxes.first?.receipts == .off && off.receipts == nil)
    }

    @Test func theDirectoryIsReadFromTheConfiguration() throws {
        func directory(_ text: String) throws -> (DirectoryConfiguration?, warnings: [String]) {
            let decoded = try ConfigurationDecoder.decode("store: s\ndirectory: \(text)\n", file: "/etc/f.yaml")
            return (decoded.directory, decoded.warnings)
        }
        #expect(try directory("{vcard_file: people.vcf}").0 == .file("/etc/people.vcf"))
        let read = try directory(
            #"{carddav_url: "https://cards.c.example/people/", user: f, password_file: p, tls_ca_file: ca.pem}"#)
        let address = try WebAddress(url: "https://cards.c.example/people/")
        let login = ServerLogin(user: "f", credential: .passwordFile("/etc/p"))
        #expect(read.0 == .server(CardServerConfiguration(address: address, login: login, caFile: "/etc/ca.pem")))
        #expect(read.warnings.isEmpty)
        let plain = try directory(#"{carddav_url: "http://127.0.0.1:5232/"}"#)
        #expect(plain.0?.login == nil && plain.warnings.contains { $0.contains("not encrypted") })
    }

    @Test func drivesAreReadFromTheConfiguration() throws {
        func drives(_ text: String) throws -> DriveRules? {
            try ConfigurationDecoder.decode("store: s\n\(text)\n", file: "/etc/f.yaml").drives
        }
        #expect(try drives("") == nil && drives("drives: off") == nil)
        #expect(try drives("drives: on") == DriveRules() && drives("drives: {}") == DriveRules())
        let rules = try #require(
            try drives(
                #"drives: {kinds: [s3, webdav], hosts: [C.example], private_hosts: ["n:5001"], tls_ca_file: ca}"#))
        #expect(rules.kinds == [.s3, .webdav] && rules.hosts.map(\.description) == ["c.example"])
        #expect(rules.privateHosts.map(\.description) == ["n:5001"] && rules.authorityFile == "/etc/ca")
        let clients = try #require(
            try drives(
                """
                server: {public_url: "https://o.example/"}
                drives: {box: {client_id: b, client_secret_file: s}, onedrive: {client_id: o, tenant: corp.example}}
                """))
        #expect(clients.clients[.box] == DriveClient(id: "b", secretFile: "/etc/s"))
        #expect(clients.clients[.oneDrive] == DriveClient(id: "o", tenant: "corp.example"))
        #expect(clients.signInAddress == "https://o.example/library/drives/sign-in")
        #expect(clients.offers(.box) && clients.offers(.oneDrive) && clients.offers(.webdav))
        #expect(!clients.offers(.dropbox))
    }

    @Test func recognitionIsReadFromTheConfiguration() throws {
        func recognition(_ previews: String) throws -> RecognitionSettings? {
            let text = "store: s\npreviews: {\(previews)}\n"
            return try #require(try ConfigurationDecoder.decode(text, file: "f.yaml").previews).recognition
        }
        #expect(try recognition("") == RecognitionSettings())
        #expect(try recognition("ocr: off") == nil)
        #expect(try recognition("ocr: {}") == RecognitionSettings())
        let settings = try recognition("ocr: {languages: [chi_tra, deu], pages: 3}")
        #expect(settings?.languages?.map(\.name) == ["chi_tra", "deu"] && settings?.maxPages == 3)
    }

    /// Days of raw and deleted mail, and hours between two looks at the clock.
    @Test(
        arguments: [
            (nil, nil, nil), (nil, 1, 26), (nil, 2, 26), (3, 30, 36), (30, 4, 48), (nil, 30, 192), (36500, nil, 192),
        ] as [(Int?, Int?, Int64?)])
    func aShortRetentionBearsNoLongGap(_ raw: Int?, _ deleted: Int?, _ hours: Int64?) {
        #expect(Retention(rawDays: raw, deletedDays: deleted).longestGap == hours.map { .seconds($0 * 3600) })
    }

    @Test(arguments: [
        ("store: s\nmailbox: []\n", 2, 1, #"did you mean "mailboxes"?"#),
        ("limits: {}\n", 1, 1, #"the key "store" is missing"#),
        ("store: s\nlimits: {message: 100 apples}\n", 2, 19, "must be a size"),
        ("store: s\nlimits: {message: 2GiB}\n", 2, 19, "must be between"),
        ("store: s\nlimits:\n  parts: many\n", 3, 10, "whole number"),
        ("store: s\nlimits: {dept: 3}\n", 2, 10, #"did you mean "depth"?"#),
        ("store: s\nstore: t\n", 1, 1, "given twice"),
        ("store: [a]\n", 1, 8, "must be a text"),
        ("store: s\nrouting: {ignore_tags: EXT}\n", 2, 24, "must be a list"),
        ("store: s\nquota: {person: 0}\n", 2, 17, "must be between"),
        ("store: s\nquota: {people: 1GB}\n", 2, 9, "unknown"),
        ("store: s\nretention: {raw: forever}\n", 2, 18, "keep or a number of days"),
        ("store: s\ndigests: {hour: 24}\n", 2, 17, "23"),
        ("store: s\nretention: {deleted: 0}\n", 2, 22, "36500"),
        ("store: s\nscan: {unscanned: hold}\n", 2, 7, "clamd: /run"),
        ("store: s\nscan: {clamd: /c, unscanned: never}\n", 2, 30, "serve or hold"),
        ("store: s\npreviews: off\nscan: {clamd: /c, unscanned: hold}\n", 3, 7, "hold needs previews"),
        ("store: s\npreviews: {ocr: on}\n", 2, 17, "must be"),
        ("store: s\npreviews: {ocr: {language: [eng]}}\n", 2, 18, #"did you mean "languages"?"#),
        ("store: s\npreviews: {ocr: {languages: eng}}\n", 2, 29, "must be a list"),
        ("store: s\npreviews: {ocr: {languages: []}}\n", 2, 29, "1 to 5 languages"),
        ("store: s\npreviews: {ocr: {languages: [eng, ../x]}}\n", 2, 35, "as tesseract names it"),
        ("store: s\npreviews: {ocr: {languages: [eng, eng]}}\n", 2, 35, "given twice"),
        ("store: s\npreviews: {ocr: {pages: 501}}\n", 2, 25, "500"),
        ("store: s\nserver: {listen: 8080}\n", 2, 18, "an address and a port"),
        ("store: s\nserver: {tokens: {mobile: 10}}\n", 2, 27, "must be a time"),
        ("store: s\nserver: {tokens: {web: 1s}}\n", 2, 24, "must be between"),
        ("store: s\nserver: {second_factor: {required_for: all}}\n", 2, 40, "must be none"),
        ("store: s\nlinks: maybe\n", 2, 8, "must be on or off"),
        ("store: s\nnews: maybe\n", 2, 7, "must be on or off"),
        ("store: s\ndrives: maybe\n", 2, 9, "must be a group of keys"),
        ("store: s\ndrives: {kinds: [ftp]}\n", 2, 18, "must be one of azure_blob, b2"),
        ("store: s\ndrives: {kinds: [dropbox]}\n", 2, 18, "must be one of"),
        ("store: s\ndrives: {kinds: [dropbox]}\n", 2, 18, "add drives: {dropbox: {client_id"),
        ("store: s\ndrives: {dropbox: {client_id: c}}\n", 2, 19, "add server: public_url"),
        ("store: s\nserver: {public_url: 'https://o'}\ndrives: {box: {client_id: c}}\n", 3, 15, "client_secret_file"),
        ("store: s\nserver: {public_url: 'https://o'}\ndrives: {onedrive: {}}\n", 3, 20, #""client_id" is missing"#),
        ("store: s\ndrives: {hosts: [localhost]}\n", 2, 18, "a name of its own"),
        ("store: s\ndrives: {private_hosts: [\"127.1:443\"]}\n", 2, 26, "a name of its own"),
        ("store: s\ndrives: {hosts: [\"https://h\"]}\n", 2, 18, "must be a host"),
        ("store: s\ndirectory: {}\n", 2, 12, "vcard_file: people.vcf, or carddav_url"),
        ("store: s\ndirectory: {vcard_fil: p}\n", 2, 13, #"did you mean "vcard_file"?"#),
        ("store: s\ndirectory: {vcard_file: p, user: u}\n", 2, 34, "keep one of them"),
        ("store: s\ndirectory: {carddav_url: \"http://h/\"}\n", 2, 26, "not this machine"),
        ("store: s\ndirectory: {carddav_url: \"https://u:p@h/\"}\n", 2, 26, "user: beside it"),
        ("store: s\ndirectory: {carddav_url: \"https://h/\", user: u}\n", 2, 12, "says nothing about the login"),
        ("store: s\ndirectory: {carddav_url: \"https://h/\", password_file: p}\n", 2, 55, "add user"),
        ("store: s\nsmtp: {from: a@b.example}\n", 2, 7, #""url" is missing"#),
        ("store: s\nprofiles: {certificate: c.pem}\n", 2, 11, #""key" is missing"#),
        ("store: s\nprofiles: {key: c.key}\n", 2, 11, #""certificate" is missing"#),
        ("store: s\nprofiles: {mail: {imap: imaps://h}}\n", 2, 18, #""smtp" is missing"#),
        ("store: s\nprofiles: {mail: {imap: pop3s://h, smtp: smtps://h}}\n", 2, 25, "imaps:// or imap://"),
        ("store: s\nprofiles: {mail: {imap: imaps://u@h, smtp: smtps://h}}\n", 2, 25, "names a user"),
        ("store: s\nprofiles: {mail: {imap: imaps://, smtp: smtps://h}}\n", 2, 25, "names no host"),
        ("store: s\nprofiles: {organization: \"a\\nb\"}\n", 2, 26, "one line"),
        ("store: s\nprofiles: {organisation: a}\n", 2, 12, #"did you mean "organization""#),
        ("store: s\nsmtp: {url: smtps://h}\n", 2, 7, #""from" is missing"#),
        ("store: s\nsmtp: {url: imaps://h, from: a@b.example}\n", 2, 13, "must begin with smtps"),
        ("store: s\nsmtp: {url: smtps://u@h, from: a@b.example}\n", 2, 13, "user: beside it"),
        ("store: s\nsmtp: {url: smtps://h, from: nobody}\n", 2, 30, "no address"),
        ("store: s\nsmtp: {url: smtps://h, from: \"A\\nB <a@b.example>\"}\n", 2, 30, "control character"),
        ("store: s\nsmtp: {url: smtps://h, from: a@b.example, user: u}\n", 2, 7, "says nothing about the login"),
        ("store: s\nsmtp: {url: smtps://h, from: a@b.example, password_file: p}\n", 2, 58, "add user"),
        ("store: s\nsmtp: {url: smtps://h, from: a@b.example, user: \"u\\nv\", password: p}\n", 2, 49, "control"),
        ("store: s\nsmtp: {url: smtps://h, from: a@b.example, tls: off}\n", 2, 48, "always encrypted"),
        ("store: s\nsmtp: {url: smtp://h, from: a@b.example, tls: off}\n", 2, 47, "not this machine"),
        ("store: s\nsmtp: {url: smtp://127.evil.example, from: a@b.example, tls: off}\n", 2, 62, "not this machine"),
        ("store: s\nsmtp: {url: smtps://h, from: a@b.example, hello: \"x\\r\\ny\"}\n", 2, 50, "domain name"),
        ("store: s\nsmtp: {url: smtps://h, helo: b.example}\n", 2, 24, #"did you mean "hello"?"#),
        (mailbox(), 3, 5, #""trust" is missing"#),
        (mailbox("trust: {}"), 6, 12, #""require" is missing"#),
        (mailbox("trust: {require: spf}"), 6, 22, "dmarc or none"),
        (mailbox("trust: {require: dmarc}"), 6, 12, "needs authserv_id"),
        (
            mailbox("trust: {require: dmarc, authserv_id: topmost-without-id, submission_domains: [c.example]}"), 6, 82,
            "authserv_id that names the server"
        ),
        (mailbox("trust: {require: dmarc, authserv_id: a, submission_domains: [a b]}"), 6, 66, "must be a domain"),
        (mailbox("trust: {require: dmarc, authserv_id: a, submission_domains: a.example}"), 6, 65, "must be a list"),
        (mailbox("trust: {require: dmarc, authserv_id: a, submission_domain: [a]}"), 6, 45, "submission_domains"),
        (mailbox(trusting, "tls: off"), 7, 10, "always encrypted"),
        (mailbox(trusting, "receipts: filed"), 7, 15, "needs the section smtp"),
        (mailbox(trusting, "receipts: some"), 7, 15, "must be off, filed, problems or all"),
        (mailbox(trusting, "after: burn"), 7, 12, "must be delete"),
        (mailbox(trusting, "after: move: Done"), 7, 16, "{move: Processed}"),
        (mailbox(trusting, "after: {move: inbox}"), 7, 12, "folder that is polled"),
        (mailbox(trusting, "after_misrouted: {move: INBOX}"), 7, 22, "folder that is polled"),
        (mailbox(trusting, "after_misrouted: {move: /inbox/}"), 7, 22, "folder that is polled"),
        (mailbox(trusting, "interval: 60"), 7, 15, "60s"),
        (mailbox(trusting, "run_limit: 0s"), 7, 16, "must be between"),
        (mailbox(trusting, "idle: maybe"), 7, 11, "true or false"),
        (mailbox(trusting, "password_file: x"), 3, 5, "keep one of them"),
        (mailbox(trusting, "pasword_env: x"), 7, 5, #"did you mean "password_env"?"#),
    ])
    func mistakeNamesItsPlace(text: String, line: Int, column: Int, words: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try ConfigurationDecoder.decode(text, file: "f.yaml")
        }
        #expect(error.description.contains(words), "\(error)")
        #expect(error.line == line, "\(error)")
        if !words.contains("given twice"), !words.contains("{move: Processed}") {
            #expect(error.column == column, "\(error)")
        }
        #expect(error.description.hasPrefix("f.yaml:\(line):"), "\(error)")
    }

    @Test(arguments: [
        "imaps://host/INBOX", "imaps://u:secret@host/", "http://u@host", "imaps://u@/x",
        "imaps://u@host:0/", "imaps://u@host:x/", "imaps://u%4@host/", "imaps://u%00@host/", "pop3s://u@host/Other",
        "imaps://u@ho st/", "imaps://u@[::1/",
    ])
    func badURLs(url: String) {
        #expect(throws: ConnectionError.self) { try MailServerAddress(url: url) }
    }

    /// Plain text over the network is refused, and so is a password in an error.
    @Test func refusals() throws {
        let plain = Self.mailbox(Self.trusting, "tls: off").replacing("imaps://", with: "imap://")
        let error = try #require(throws: ConfigurationError.self) {
            try ConfigurationDecoder.decode(plain, file: "f.yaml")
        }
        #expect(error.problem.contains("not this machine"))
        let password = Self.mailbox(Self.trusting).replacing("password_env: P", with: "password: hunter2")
        let configuration = try ConfigurationDecoder.decode(password, file: "f.yaml")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!"\(configuration)\(dumped)".contains("hunter2"))
    }

    @Test(arguments: [("2026-02-30", false), ("2026-01-01", true), ("26-1-1", false), ("7d", true), ("soon", false)])
    func since(text: String, isTime: Bool) {
        #expect((Clock.since(text) != nil) == isTime)
        // Refused with the usage of these commands, not that of `fundmail`.
        #expect(((try? MisroutedActsCommand.parse(["--since", text])) != nil) == isTime)
        #expect(((try? ReportMisroutedCommand.parse(["--since", text])) != nil) == isTime)
    }

    @Test(arguments: [("7d", true), ("9999-12-30", true), ("99999999999999d", false), ("2020-01-01", false)])
    func later(text: String, isTime: Bool) {
        #expect(((try? MisroutedLaterCommand.parse(["1", "--until", text])) != nil) == isTime)
    }
}
