internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Entries of the audit trail as sentences.
struct AuditSentenceTests {
    private static func entry(
        _ action: String, _ subject: String, _ detail: String, by actor: String = "r@x.org"
    ) -> AuditEntry {
        AuditEntry(id: 1, at: 1_700_000_000, actor: actor, action: action, subject: subject, detail: detail)
    }

    /// Whatever an entry holds, also one of another version, there are words for it.
    @Test(arguments: AuditAction.allCases)
    func everyActionHasWords(action: AuditAction) {
        #expect(Words.table["act.\(action.rawValue)"] != nil)
        #expect(Words.table["group.\(action.rawValue.prefix { $0 != "." })"] != nil)
        for detail in ["", "something else", "until x", "all: of: it", "app: ", "web: all", "in  of "] {
            for subject in ["", "misrouted 7", "email 7", "user 7", "file 7", "clock", "a@x.org/Fund1"] {
                let statement = AuditStatement(Self.entry(action.rawValue, subject, detail))
                for sentence in [statement.sentence] + statement.asides {
                    #expect(Words.table["statement.\(sentence.key)"] != nil, "\(sentence.key)")
                    for case .value(let index) in Words(language: .en).pieces("statement.\(sentence.key)") {
                        #expect(sentence.values.indices.contains(index), "\(sentence.key)")
                    }
                }
            }
        }
    }

    /// Keys that are made of values.
    @Test
    func everyVariantHasWords() {
        let kinds = TokenKind.allCases.flatMap { kind in
            ["", ".all", ".others", ".nameless"].map { "access.\(kind.rawValue)\($0)" }
        }
        for key in kinds + ItemKind.allCases.map({ "trash.delete.\($0.name)" }) + ["access.some", "access.app.read"] {
            #expect(Words.table["statement.\(key)"] != nil, "\(key)")
        }
        // Both languages have the same values.
        for (key, texts) in Words.table where key.hasPrefix("statement.") {
            let counts = texts.map { text in (0...3).map { text.components(separatedBy: "{\($0)}").count } }
            #expect(counts[0] == counts[1], "\(key)")
        }
    }

    private static let root = "r@x.org"

    @Test(
        arguments: [
            ("user.add", "b@x.org", "", "r@x.org added b@x.org."),
            ("user.role", "b@x.org", "user", "r@x.org took the administrator’s role from b@x.org."),
            ("user.password", root, "", "r@x.org changed their own password."),
            ("user.password", root, "by a link", "r@x.org set a password by the link that was made for them."),
            ("fund.add", "b@x.org/A/B", "X, Y", "r@x.org created A/B for b@x.org. Also found as X, Y"),
            ("fund.rename", "Old", "New", "r@x.org renamed Old to New."),
            ("fund.give", "a@x.org/F", "to b@x.org", "r@x.org gave F of a@x.org to b@x.org."),
            (
                "fund.alias.remove", "F", "G: another fund has this name now",
                "F is no longer found as G, since r@x.org gave that name to another fund."
            ),
            (
                "misroute.file", "misrouted 77", "email 3 in Part of it of a@x.org",
                "r@x.org filed a mail that is gone into Part of it of a@x.org."
            ),
            (
                "misroute.later", "misrouted 77", "now",
                "r@x.org put a mail that is gone back among the mail that waits."
            ),
            (
                "misroute.undo", "misrouted 77", "learn of act 4",
                "r@x.org took back the rule that was learnt from a mail that is gone."
            ),
            (
                "token.add", root, "app read: AI",
                "r@x.org made the app password “\u{2068}AI\u{2069}”, which only reads."
            ),
            ("token.add", root, "app: Finder", "r@x.org made the app password “\u{2068}Finder\u{2069}”."),
            ("token.revoke", "b@x.org", "web: all", "r@x.org ended all sessions in browsers of b@x.org."),
            (
                "store.import", "b@x.org", "folder /srv: 2 imported",
                "r@x.org imported files for b@x.org. folder /srv: 2 imported"
            ),
            ("trash.empty", "everybody", "3 items, 4096 bytes", "r@x.org emptied everybody’s trash. 3 items, 4.1 KB"),
            ("trash.delete", "file 12", "1 items, 0 bytes", "r@x.org deleted a file for good. 1 item, 0 B"),
            (
                "retention", "raw messages", "12 older than 90 days",
                "r@x.org removed 12 original mails that were older than 90 days."
            ),
            (
                "retention", "clock", "it went from 1700000000 to 1800000000 (seconds since 1970): nothing is removed",
                "r@x.org saw the clock jump from 14 Nov 2023 22:13 UTC to 15 Jan 2027 08:00 UTC, and removes"
            ),
            (
                "mailbox.move", "funds", "from imaps://a to imaps://b; 3 deliveries departed",
                "From imaps://a to imaps://b"
            ),
            (
                "user.update", "b@x.org", "receipts problems",
                "r@x.org chose which letters b@x.org gets: those about problems."
            ),
            (
                "user.update", root, "receipts as the mailbox",
                "r@x.org chose which letters they get: as the mailbox says."
            ),
            (
                "user.update", "b@x.org", "answered c@x.org",
                "r@x.org had letters sent to c@x.org, an address of b@x.org, although nothing proves the sender."
            ),
            (
                "user.update", "b@x.org", "news at_once",
                "r@x.org chose when b@x.org hears of news in their funds: at once."
            ),
            ("user.update", root, "news off", "r@x.org chose when they hear of news in their funds: never."),
            ("user.update", "b@x.org", "desk digest on", "r@x.org had a daily letter about the desk sent to b@x.org."),
            ("user.update", "b@x.org", "language zh", "r@x.org chose Chinese for letters to b@x.org."),
            ("user.update", "b@x.org", "desk digest off", "r@x.org ended the daily letter about the desk to b@x.org."),
            ("outbox.server", "mail.x.org", "a@x.org", "r@x.org had letters go out by mail.x.org. a@x.org"),
            ("outbox.drop", "letter 7", "to b@x.org", "r@x.org dropped the letter to b@x.org."),
            ("outbox.retry", "letter 7", "to b@x.org", "r@x.org had the letter to b@x.org sent anew."),
            ("letter.send", "letter 7", "to b@y.org c@y.org; 2 items", "r@x.org sent a letter to b@y.org, c@y.org."),
            ("letter.retry", "letter 7", "to b@y.org", "r@x.org sent their letter to b@y.org anew."),
            ("letter.drop", "letter 7", "to b@y.org", "r@x.org gave their letter to b@y.org up."),
            ("letter.remove", "letter 7", "", "r@x.org removed their letter 7."),
            ("other.thing", "x", "y", "r@x.org: other.thing x y"),
        ] as [(String, String, String, String)])
    func saysWhatWasDone(action: String, subject: String, detail: String, text: String) throws {
        let statement = AuditStatement(Self.entry(action, subject, detail))
        // In another year than any of the times.
        let formats = Formats(words: Words(language: .en), now: 4_000_000_000)
        let sentence = AuditSentence(words: formats.words, formats: formats, names: AuditNames())
        let model: PageModel = ["rows": [sentence.row(Self.entry(action, subject, detail), statement)]]
        let said = try Self.text(of: model)
        #expect(said.contains(text), "\(said)")
    }

    /// The rows of the page without its markup.
    private static func text(of model: PageModel) throws -> String {
        var model = model
        for name in ["lang", "theme", "assets", "title", "actor", "subject", "since", "until"] { model[name] = "" }
        let page = String(decoding: try PageTemplates().render("audit", model, in: .en), as: UTF8.self)
        let rows = try #require(page.components(separatedBy: "data-rows").last)
        return rows.replacing("<small>", with: " ").replacing(/<[^>]*>/, with: "").replacing(/\s+/, with: " ")
    }

    /// On the page people and mail have names, no number of seconds is left, and none of the texts is English in
    /// Chinese.
    @Test
    func namesWhatIsThere() async throws {
        let harness = try await ServerHarness()
        let (ann, root) = (harness.people.ann, harness.people.root)
        try StoreSnapshot.execute(
            """
            UPDATE user SET name = 'Ann Archer' WHERE id = \(ann.id);
            INSERT INTO audit (at, actor, action, subject, detail) VALUES
                (1700000000, '\(root.email)', 'user.reset', '\(ann.email)', 'until 1700086400'),
                (1700000000, '\(ann.email)', 'token.revoke', '\(ann.email)', 'web 3: <b>Safari</b>'),
                (1700000001, 'scanner', 'blob.quarantined', '\(String(repeating: "ab", count: 32))', 'Eicar'),
                (1700000002, 'fundmail', 'retention', 'deleted items', '2 items, 10 bytes')
            """, in: harness.folder + "/store")
        let session = try await BrowserSession(root, harness)
        let page = try await session.get("/office/audit?until=2023-11-16", harness).text
        #expect(page.contains("Ann Archer") && page.contains("made a password link for"))
        #expect(page.contains("a file that is gone (abababababab)"))
        #expect(!page.contains("1700086400") && !page.contains("<b>Safari"))
        let chinese = try await session.get(
            "/office/audit?until=2023-11-16", harness, fields: ["Accept-Language": "zh-CN"]
        ).text
        #expect(chinese.contains("创建了密码链接") && chinese.contains("病毒扫描程序") && chinese.contains("有效期至"))
        for word in ["made", "ended", "removed", "found", "UTC+", "items"] {
            #expect(!chinese.contains(" \(word) "), "\(word)")
        }
        try await harness.stop()
    }

    /// The store writes details that the sentences take apart: none of these is quoted in English.
    @Test
    func readsWhatTheStoreWrites() async throws {
        let harness = try await ServerHarness()
        let (store, accounts) = (harness.store.administration, harness.store.accounts)
        let (ann, root) = (harness.people.ann, harness.people.root)
        let fund = try await store.addFund(name: "Given", owner: ann.id, aliases: ["First"], actor: root.email).id
        _ = try await store.addAlias("Second", to: fund, actor: root.email)
        _ = try await store.removeAlias("Second", of: fund, actor: root.email)
        _ = try await store.renameFund(fund, to: "Renamed", actor: root.email)
        _ = try await store.giveFund(fund, to: root.id, actor: root.email)
        try await accounts.setPasswordHash(nil, of: ann.id, actor: root.email)
        let statements = try await store.audit(AuditFilter(), PageQuery()).items.map { AuditStatement($0) }
        let keys = Set(statements.map(\.sentence.key))
        for key in ["fund.add", "fund.alias", "fund.alias.remove", "fund.rename", "fund.give", "user.password.none"] {
            #expect(keys.contains(key), "\(key)")
        }
        for statement in statements { #expect(!statement.asides.contains { $0.key == "detail" }, "\(statement)") }
        try await harness.stop()
    }

    /// A day begins by the clock of the reader, whose script says by how much that differs.
    @Test
    func daysAreTheReaders() async throws {
        let harness = try await ServerHarness()
        try StoreSnapshot.execute(
            """
            INSERT INTO audit (at, actor, action, subject, detail)
            VALUES (1700002800, 'late@example.com', 'doctor.check', '', '')
            """, in: harness.folder + "/store")
        let session = try await BrowserSession(harness.people.root, harness)
        // 23:00 in UTC on the 14th is the 15th in Luxembourg.
        for (query, isThere) in [
            ("since=2023-11-15", false), ("since=2023-11-15&since-offset=-60", true),
            ("until=2023-11-14", true), ("until=2023-11-14&until-offset=-60", false),
            ("until=2023-11-14&until-offset=x", true),
        ] {
            let page = try await session.get("/office/audit?actor=late&\(query)", harness)
            #expect(page.text.contains("had the mail servers checked") == isThere, "\(query)")
        }
        try await harness.stop()
    }
}
