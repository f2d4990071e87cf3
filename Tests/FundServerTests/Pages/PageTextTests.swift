import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Texts of pages: words in both languages, and nothing of a user's or a mail's text as markup.
struct PageTextTests {
    private static let templates = PageTemplates.sources.mapValues { String(decoding: $0, as: UTF8.self) }

    /// A template with a word that is not there cannot be read, see `PageTemplateTests`.
    @Test
    func everyWordIsThere() throws {
        _ = try PageTemplates()
        for (key, texts) in Words.table {
            #expect(texts.count == Language.allCases.count, "\(key)")
            #expect(texts.allSatisfy { !$0.isEmpty }, "\(key)")
        }
    }

    /// Punctuation of Chinese beside Chinese, and one word for one thing: mail is filed (存入), funds are archived (封存),
    /// mailboxes are collected (收取).
    @Test
    func chineseIsWrittenAsSuch() {
        let latin = /\p{Script=Han}[,.:;!?()]|[,.:;!?()]\p{Script=Han}/
        for (key, texts) in Words.table {
            let chinese = texts[Language.zh.column]
            #expect(chinese.firstMatch(of: latin) == nil, "\(key): \(chinese)")
            for word in ["归档", "监视", "备注", "使用于"] { #expect(!chinese.contains(word), "\(key): \(chinese)") }
        }
    }

    /// Words whose keys are made of values.
    @Test
    func everyValueHasItsWords() {
        let keys =
            Reason.allCases.map { "reason.\($0.rawValue)" } + Outcome.allCases.map { "outcome.\($0.rawValue)" }
            + ItemKind.allCases.map { "kind.\($0.name)" } + ItemOrder.Key.allCases.map { "sort.\($0.rawValue)" }
            + LinkTarget.Warning.allCases.map { "leaving.\($0.rawValue)" }
            + Theme.allCases.map { "theme.\($0.rawValue)" } + Language.allCases.map { "language.\($0.rawValue)" }
            + InputProblem.Kind.allCases.map { "problem.\($0.rawValue)" }
            + PasswordProblem.allCases.map { "password.refused.\($0.rawValue)" }
            + Reason.allCases.map { "cause.\($0.rawValue)" }
            + ["messages", "hits", "rehearsal", "evidence.letters", "evidence.mails", "evidence.domain"].flatMap {
                ["\($0).one", "\($0).many"]
            }
            + ["files", "items", "mails", "notes", "new", "pictures"].flatMap { ["\($0).one", "\($0).many"] }
        let previews = RenditionFailure.allCases.map { "preview.\($0.rawValue)" } + ["preview.off"]
        let health =
            HealthPeriod.allCases.flatMap { ["health.\($0.rawValue)", "health.slot.\($0.rawValue)"] }
            + ["health.search", "health.directory.sound", "health.directory.kept"].flatMap {
                ["\($0).one", "\($0).many"]
            }
        let supervision =
            MailboxReport.Condition.allCases.map { "mailboxes.\($0.rawValue)" }
            + HealthChecks.Level.allCases.map { "health.state.\($0.rawValue)" }
            + ["failure", "unknown", "warning"].map { "health.mailboxes.\($0)" }
            + Outcome.allCases.map { "mailboxes.count.\($0.rawValue)" }
            + Finding.Level.allCases.map { "doctor.\($0.rawValue)" }
            + Finding.Subject.allCases.flatMap { subject in
                ["doctor.of.\(subject.rawValue)"]
                    + Finding.Level.allCases.map { "doctor.say.\(subject.rawValue).\($0.rawValue)" }
            }
            + ["mailboxes.failed", "mailboxes.waiting", "mailboxes.runs", "mailboxes.new", "doctor.count.failure"]
            .flatMap { ["\($0).one", "\($0).many"] }
        let fields =
            FieldPerson.State.allCases.map { "state.\($0.rawValue)" }
            + CardFields.Purpose.allCases.map { "type.\($0.rawValue)" }
            + EntryViews.statuses.map { "status.\($0.rawValue)" } + EntryViews.frequencies.map { "every.\($0)" }
            + ["start", "end", "repeats", "place", "organiser", "attendees", "status", "site", "sites"]
            + ["organisation", "role", "telephones", "mails", "addresses", "birthday"]
            + ["from", "to", "cc", "date", "attachments"]
        let states = LetterRecipient.Delivery.allCases.map(\.rawValue)
        let written: [String] =
            states.map { "letter.state.\($0)" } + states.map { "letter.meaning.\($0)" }
            + ["letter.role.cc", "letter.role.copy"]
        for key in written { #expect(Words.table[key] != nil, "\(key)") }
        for way in NewLetter.Way.allCases { #expect(Words.table["letter.way.\(way.rawValue)"] != nil) }
        let letters =
            OutboxLetter.State.allCases.flatMap { ["outbox.state.\($0.rawValue)", "outbox.meaning.\($0.rawValue)"] }
            + OutboxCause.Kind.allCases.map { "outbox.about.\($0.rawValue)" }
            + ReceiptSetting.words.flatMap { ["receipts.\($0)", "statement.receipts.\($0)"] }
            + ["outbox.attempts", "outbox.waiting", "outbox.troubled", "outbox.all.failed", "outbox.all.uncertain"]
            .flatMap { ["\($0).one", "\($0).many"] }
        let paces = NewsPace.allCases.flatMap { ["news.\($0.rawValue)", "statement.news.\($0.rawValue)"] }
        let ends = Digest.Kind.allCases.flatMap { ["unsubscribe.\($0.rawValue)", "unsubscribe.\($0.rawValue).ended"] }
        let links =
            ["live", "used_up", "expired", "revoked", "gone"].map { "link.state.\($0)" }
            + ["download", "read", "marked", "upload"].map { "link.purpose.\($0)" }
            + ["read", "upload"].flatMap { ["shared.door.\($0)", "shared.open.\($0)"] }
            + ["name", "address", "password"].map { "shared.failed.\($0)" }
            + ["link.openings", "shared.put"].flatMap { ["\($0).one", "\($0).many"] }
        for key in links { #expect(Words.table[key] != nil, "\(key)") }
        let desk = ["on", "off"].flatMap { ["deskdigest.\($0)", "statement.user.desk.\($0)"] }
        for key in paces + ends + desk { #expect(Words.table[key] != nil, "\(key)") }
        let contacts =
            ImportedContact.LeftOut.allCases.map { "contact.left.\($0.rawValue)" }
            + ContactEntry.Kind.allCases.map { "contact.kind.\($0.rawValue)" }
            + ["own", "company", "seen"].map { "people.from.\($0)" }
            + ["too-large", "empty", "not-text", "no-columns", "malformed"].map { "problem.contact-file-\($0)" }
            + ["contacts", "contacts.mails", "contacts.letters", "people.offered", "contact.import.button"]
            .flatMap { ["\($0).one", "\($0).many"] }
        for key in contacts { #expect(Words.table[key] != nil, "\(key)") }
        let news =
            NewsProblem.allCases.flatMap { ["feed.problem.\($0.rawValue)", "problem.feed-\($0.rawValue)"] }
            + NewsFilter.State.allCases.map { "feeds.state.\($0.rawValue)" }
            + KeptNewsForm.allCases.map { "done.news-\($0.rawValue)" }
        let fieldsOfDrives = DriveKind.allCases.flatMap(\.fields)
        let choices = fieldsOfDrives.flatMap { field in if case .choice(let words) = field.form { words } else { [] } }
        let drives =
            DriveProblem.allCases.flatMap { ["drive.problem.\($0.rawValue)", "problem.\($0.requestCode)"] }
            + DriveKind.allCases.map { "drive.kind.\($0.rawValue)" } + choices.map { "drive.choice.\($0)" }
            + fieldsOfDrives.map { "drive.field.\($0.name)" } + DriveOrder.Key.allCases.map { "sort.\($0.rawValue)" }
            + DriveTransfer.State.allCases.map { "transfer.state.\($0.rawValue)" }
            + DriveWatch.State.allCases.map { "watch.state.\($0.rawValue)" }
            + DriveWatch.Disposition.allCases.map { "watch.then.\($0.rawValue)" }
            + ["transfer.failed", "watch.refused"].flatMap { ["\($0).one", "\($0).many"] }
        for key in drives { #expect(Words.table[key] != nil, "\(key)") }
        for key in news { #expect(Words.table[key] != nil, "\(key)") }
        for key in letters { #expect(Words.table[key] != nil, "\(key)") }
        for key in fields.map({ "fields.\($0)" }) { #expect(Words.table[key] != nil, "\(key)") }
        for key in keys + previews + health + supervision { #expect(Words.table[key] != nil, "\(key)") }
    }

    /// Each failure that a request can end with, in both languages.
    @Test
    func everyErrorHasItsWords() {
        let store: [StoreError.Code] = [
            .notAStore, .newerVersion, .held, .outOfSpace, .corrupted, .notFound, .alreadyExists, .invalid,
            .alreadyResolved, .conflict, .preconditionFailed, .outdated, .stale, .tookTooLong, .unreachable,
            .uncertain, .io,
        ]
        let errors: [any Error] =
            store.map { StoreError($0, "test", "detail") }
            + [
                AuthenticationError.wrongCredentials, AuthenticationError.expired, CancellationError(),
                AuthenticationError.tooManyFailures(retryAfterSeconds: 1),
                AuthenticationError.busy(retryAfterSeconds: 1),
                RequestError.wrongCredentials, RequestError.insecure, RequestError.forbidden, RequestError.tooLarge,
                RequestError.busy, RequestError.foreignForm, RequestError.methodNotAllowed(allow: []),
                FieldError.malformed, ProfileError(.signing, "detail"),
            ]
        for error in errors {
            let failure = RequestError(error)
            #expect(Words.table["error.\(failure.code)"] != nil, "\(failure.code)")
            for language in Language.allCases {
                #expect(!Words(language: language).sentence(failure).isEmpty, "\(failure.code)")
            }
            let chinese = Words(language: .zh).sentence(failure)
            #expect(chinese.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }, "\(failure.code)")
        }
    }

    /// A value is written as it is, whatever it holds.
    @Test
    func valuesAreNoPlaces() {
        let words = Words(language: .en)
        #expect(words("step.unknown", "{1}", "{0}") == "[{1}] names none of {0}")
        #expect(words.sentence(.knownTag("F", fund: "{2}", owner: "ann", isAlias: false)) == "[F] is {2} of ann")
        #expect(Words(language: .zh).sentence(.unknownTag("X", funds: ["A, B", "C"])) == "[X] 不是以下任何一个：“A, B”、“C”")
        #expect(Words(language: .zh).sentence(.decision(.misrouted, .noTag, fund: nil)).hasPrefix("等待管理员处理："))
    }

    @Test
    func everyStepHasItsWords() {
        for about in RoutingStep.Subject.allCases {
            for verdict in RoutingStep.Verdict.allCases {
                let step = RoutingStep(about, verdict, .prose("From: x"))
                #expect(Words(language: .en).sentence(step) == "From: x")
                let chinese = Words(language: .zh).sentence(step)
                #expect(chinese.hasSuffix("（\u{2068}From: x\u{2069}）") && chinese.count > 12, "\(chinese)")
            }
        }
    }

    /// The tester says in the reader's language what the web API says in English.
    @Test
    func testerSpeaksBothLanguages() async throws {
        let harness = try await ServerHarness()
        let session = try await BrowserSession(harness.people.ann, harness)
        let path = "/library/sent?subject=%5BEXT%5D+%5BFnud1%5D+x"
        let english = try await session.get(path, harness)
        #expect(english.text.contains("[Fnud1] names none of “Fund1”"))
        let chinese = try await session.get(path, harness, fields: ["Accept-Language": "zh-CN"])
        #expect(chinese.text.contains("[Fnud1] 不是以下任何一个：“Fund1”"))
        #expect(!chinese.text.contains("names none"))
        try await harness.stop()
    }

    /// RFC 9110 §15.5.6.
    @Test(arguments: [
        ("POST", "/library", "GET, HEAD"), ("PUT", "/library/notes/1", "GET, HEAD, POST"),
        ("DELETE", "/library/trash/empty", "GET, HEAD, POST"), ("OPTIONS", "/account", "GET, HEAD"),
        ("PROPFIND", "/library/funds/1", "GET, HEAD"), ("GET", "/sign-out", "POST"),
    ])
    func refusesOtherMethods(method: String, path: String, allow: String) async throws {
        let harness = try await ServerHarness()
        let answer = try await harness.send(method, path)
        #expect(answer.status == 405 && answer["allow"] == allow)
        #expect(try await harness.send(method, path + "/nowhere/at/all").status == 404)
        try await harness.stop()
    }

    /// Nothing is written without being escaped, and every attribute is quoted.
    @Test
    func everythingIsEscaped() {
        for (name, text) in Self.templates {
            #expect(!text.contains("{{{") && !text.contains("{{&"), "\(name)")
            #expect(text.firstMatch(of: /<[^>]*\s[a-z-]+=\{\{/) == nil, "\(name)")
            #expect(!text.contains("style=") && !text.contains(" onclick"), "\(name)")
        }
    }

    private static let hostile = [
        #"<img src=x onerror=alert(1)>"#, #"" autofocus onfocus="alert(1)"#, "{{csrf}}{{#user}}x{{/user}}",
        "invoice\u{202E}fdp.exe", "</title><script>alert(1)</script>", "'; alert(1); '",
        // Marks that make one character with what stands before or behind them.
        "\"\u{0301} autofocus onfocus=\"\u{0301}alert(1)", "\u{0600}<script>alert(1)</script>\u{0600}",
        String(repeating: "x", count: 200),
    ]

    @Test(arguments: hostile)
    func showsHostileNames(name: String) async throws {
        let harness = try await ServerHarness()
        let (library, ann) = (harness.store.library, harness.people.ann)
        let safe = name.replacing("/", with: "⁄")
        let fund = try await library.addFund("Hostile", of: ann.id)
        // One that turns the direction of writing is refused; a note may have it.
        let folder = try? await library.addFolder(safe, in: LibraryPlace(fund: fund.id), of: ann.id)
        #expect((folder == nil) == name.contains("\u{202E}"))
        _ = try await library.addNote(NoteText(title: name, content: name), in: fund.id, of: ann.id)
        let note = try #require(try await library.notes(in: fund.id, since: nil, PageQuery(), of: ann.id).notes.first)
        let session = try await BrowserSession(ann, harness)
        let ofFolder = folder.map { ["/library/funds/\(fund.id)?folder=\($0.id)", "/library/items/folder/\($0.id)"] }
        let paths = ["/library/funds/\(fund.id)", "/library/funds/\(fund.id)/notes", "/library/notes/\(note.id)"]
        for path in paths + (ofFolder ?? []) {
            let page = try await session.get(path, harness)
            #expect(page.status == 200)
            for markup in ["<img src=x", "<script>alert", #"" autofocus"#, "\"\u{0301}"] {
                #expect(page.body.firstRange(of: Array(markup.utf8)) == nil, "\(path)")
            }
            if name.contains("{{") { #expect(page.text.contains("{{csrf}}"), "\(path)") }
            #expect(page["content-security-policy"] == PagePolicy.pages)
            #expect(page["referrer-policy"] == "same-origin")
        }
        try await harness.stop()
    }

    /// The clock of a time without scripts names its zone, and a day its year when that is another one.
    @Test(
        arguments: [
            (1_700_000_000, "22:13 UTC", "22:13 UTC", "22:13 UTC"),
            (1_699_833_600, "Yesterday 00:00 UTC", "Yesterday 00:00 UTC", "昨天 00:00 UTC"),
            (1_700_006_400, "Tomorrow 00:00 UTC", "Tomorrow 00:00 UTC", "明天 00:00 UTC"),
            (1_678_612_260, "12 Mar", "12 Mar 09:11 UTC", "3月12日"),
            (1_647_076_260, "12 Mar 2022", "12 Mar 2022 09:11 UTC", "2022年3月12日"),
        ] as [(Timestamp, String, String, String)])
    func timesAreShort(time: Timestamp, text: String, exact: String, chinese: String) {
        let formats = Language.allCases.map { Formats(words: Words(language: $0), now: 1_700_000_000) }
        #expect(formats[0].time(time).text("text") == text && formats[0].exactTime(time).text("text") == exact)
        #expect(formats[1].time(time).text("text") == chinese)
    }

    @Test
    func agesSayThatTheyArePast() {
        let (english, chinese) = (
            Formats(words: Words(language: .en), now: 1_700_000_000),
            Formats(words: Words(language: .zh), now: 1_700_000_000)
        )
        let times = [0, 60, 7200, 3 * 86_400].map { Timestamp(1_700_000_000 - $0) }
        #expect(times.map { english.age($0) } == ["just now", "1 min ago", "2 h ago", "3 d ago"])
        #expect(times.map { chinese.age($0) } == ["刚刚", "1 分钟前", "2 小时前", "3 天前"])
        #expect(times.map { chinese.age($0, in: "span") } == ["不到 1 分钟", "1 分钟", "2 小时", "3 天"])
    }

    @Test
    func sizesAreShort() {
        let formats = Formats(words: Words(language: .en), now: 1_700_000_000)
        let texts = [0, 999, 1000, 1299, 9949, 9951, 999_400, 999_600, 88_000_000, 5_000_000_000].map {
            formats.size(Int64($0))
        }
        #expect(
            texts == [
                "0 B", "999 B", "1.0 KB", "1.3 KB", "9.9 KB", "10 KB", "999 KB", "1.0 MB", "88 MB", "5.0 GB",
            ])
    }
}
