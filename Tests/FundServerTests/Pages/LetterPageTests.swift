import FundCore
import FundStore
import Synchronization
import Foundation
import TestSupport
import Testing

@testable import FundServer

/// Letters that people write on the pages: to whom, with what, and what the pages say about it.
struct LetterPageTests {
    private static let sender = "Fundmail <funds@corp.example>"

    private static func harness(_ previews: SamplePreviews? = nil, isOn: Bool = true) async throws -> ServerHarness {
        var options = ServerHarness.Options()
        options.previews = previews
        options.mailAddress = "in@corp.example"
        if isOn {
            let address = EmailAddress("funds@corp.example")
            options.letterServer = LetterServer(
                name: "mail.corp.example", from: sender, letters: LetterPolicy(sender: address))
        }
        return try await ServerHarness(options)
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// The value of a field of a form.
    private static func value(_ name: String, _ page: RawHTTPResponse) -> String? {
        guard let start = page.text.range(of: "name=\"\(name)\" value=\"") else { return nil }
        return unescaped(String(page.text[start.upperBound...].prefix { $0 != "\"" }))
    }

    private static func unescaped(_ text: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(text) {
            $0.replacing($1.0, with: $1.1)
        }
    }

    private static func letters(_ harness: ServerHarness) async throws -> [LetterSummary] {
        try await harness.store.letters.letters(LetterFilter(), PageQuery(), of: harness.people.ann.id).items
    }

    /// The people of a mail, and to whom an answer goes. Ann's own address and ours get none.
    @Test(
        arguments: [
            ("bob@x.org", "", "", "bob@x.org", ""),
            ("bob@x.org", "office@x.org", "", "office@x.org", ""),
            ("bob@x.org", "", "in@corp.example, eve@y.org, ann@example.com", "bob@x.org", "eve@y.org"),
            ("bob@x.org", "", "funds@corp.example, IN+Fund1@corp.example, Bob@x.org", "bob@x.org", ""),
            ("ann@example.com", "", "in@corp.example, eve@y.org", "eve@y.org", ""),
            ("ann@example.com", "", "in@corp.example", "", ""),
            // An answer never goes to the mailbox from which mail is filed.
            ("bob@x.org", "in@corp.example", "eve@y.org", "bob@x.org", "eve@y.org"),
        ])
    func answersGoToPeople(from: String, replyTo: String, to: String, answered: String, cc: String) async throws {
        func people(_ text: String) -> [FieldPerson] {
            text.split(separator: ", ").map { FieldPerson(address: String($0)) }
        }
        let previews = SamplePreviews()
        let harness = try await Self.harness(previews)
        let raw = try await harness.store.library.rawMessage(of: harness.people.email, of: harness.people.ann.id)
        var fields = MailFields(from: people(from), to: people(to))
        fields.replyTo = replyTo.isEmpty ? nil : people(replyTo)
        previews.state.withLock { $0.fields[raw.digest] = .mail(fields) }
        let ann = try await BrowserSession(harness.people.ann, harness)
        let page = try await ann.get("/library/send?reply=\(harness.people.email)&all=1", harness)
        #expect(page.status == 200, "\(page.text.suffix(500))")
        #expect(Self.value("to", page) == answered && Self.value("cc", page) == cc)
        #expect(Self.value("reply", page) == "\(harness.people.email)")
        #expect(Self.value("subject", page)?.hasPrefix("Re: ") == true)
        let alone = try await ann.get("/library/send?reply=\(harness.people.email)", harness)
        #expect(Self.value("to", alone) == answered && Self.value("cc", alone) == "")
        try await harness.stop()
    }

    @Test
    func aFormIsOneLetter() async throws {
        let harness = try await Self.harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let fund = harness.people.fund.id
        let page = try await ann.get("/library/send?fund=\(fund)", harness)
        let key = try #require(Self.value("key", page))
        let form =
            "act=send&key=\(key)&fund=\(fund)&to=Bob+%3Cbob%40x.org%3E&subject=Figures"
            + "&text=Here+they+are.&back=%2Flibrary"
        let sent = try await ann.post("/library/send", form, harness)
        let letter = try #require(try await Self.letters(harness).first)
        #expect(sent.status == 303 && sent["location"] == "/library?done=letter-queued&letter=\(letter.id)")
        let again = try await ann.post("/library/send", form, harness)
        #expect(again.status == 303 && again["location"] == "/library?done=letter-known&letter=\(letter.id)")
        #expect(try await Self.letters(harness).count == 1)
        // Changed by Back it is another letter, once that is confirmed.
        let changed = try await ann.post("/library/send", form.replacing("Here", with: "There"), harness)
        #expect(changed.status == 422 && changed.text.contains("There they are.</textarea>"))
        #expect(Self.value("key", changed) != key && Self.value("key", changed)?.count == 32)
        #expect(try await Self.letters(harness).count == 1)
        #expect(letter.fund == fund && letter.recipients.map(\.addressee.text) == ["Bob <bob@x.org>"])
        // Nothing says that it was sent before the server took it.
        let shown = try await ann.get("/library/letters/\(letter.id)", harness)
        #expect(
            shown.text.contains(Words(language: .en)("letter.state.waiting")) && shown.text.contains("Here they are."))
        #expect(
            try await ann.get("/library/funds/\(fund)/mail", harness).text.contains("/library/letters?fund=\(fund)"))
        #expect(try await ann.get("/library/letters?fund=\(fund)", harness).text.contains("Figures"))
        let bea = try await BrowserSession(harness.people.bea, harness)
        #expect(try await bea.get("/library/letters/\(letter.id)", harness).status == 404)
        #expect(try await bea.get("/library/letters", harness).text.contains("Figures") == false)
        let givenUp = try await ann.post("/library/letters/\(letter.id)/recipients/1/give-up", "", harness)
        #expect(givenUp["location"]?.hasSuffix("done=letter-given-up") == true)
        #expect(try await Self.letters(harness).first?.recipients.first?.delivery == .dropped)
        try await harness.stop()
    }

    /// Enter in a field and the other buttons send nothing, and keep what was written.
    @Test(arguments: ["", "act=check", "act=find&find=report", "act=remove-file-1", "act=Send"])
    func otherButtonsSendNothing(act: String) async throws {
        let harness = try await Self.harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let page = try await ann.post("/library/send", "\(act)&to=bob%40x.org&subject=S&text=%3Cb%3Ekept", harness)
        #expect(page.status == 200 && page.text.contains("&lt;b&gt;kept</textarea>"))
        #expect(Self.value("to", page) == "bob@x.org" && page.text.contains(" data-unsaved"))
        #expect(try await Self.letters(harness).isEmpty)
        try await harness.stop()
    }

    /// A mistake stands at its field, and the text is kept.
    @Test(
        arguments: [
            ("to=bob%40", "to-problem", "bob@"), ("to=bob%40x.org%2C+eve", "to-problem", "eve"),
            ("to=bob%40x.org&cc=%3C%3E", "cc-problem", "&lt;&gt;"), ("to=", "to-problem", ""),
            ("to=funds%40corp.example&text=x", "to-problem", ""),
            ("to=bob%40x.org&text=x&item-file-999999=1", "items-problem", ""),
            ("to=bob%40x.org%0D%0ABcc%3A+eve%40y.org", "to-problem", ""),
        ])
    func wrongPartsAreNamed(form: String, problem: String, part: String) async throws {
        let harness = try await Self.harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let page = try await ann.post("/library/send", "act=send&subject=kept+subject&\(form)", harness)
        #expect(page.status == 422 && page.text.contains("id=\"\(problem)\""), "\(page.text.suffix(2000))")
        #expect(part.isEmpty || page.text.contains(part))
        #expect(Self.value("subject", page) == "kept subject")
        #expect(try await Self.letters(harness).isEmpty)
        try await harness.stop()
    }

    /// Line ends in any field make no line of a header.
    @Test(arguments: [
        "subject", "to", "cc", "key", "way", "copy", "fund", "reply", "back", "find", "item-file-1", "text",
    ])
    func lineEndsMakeNoHeader(field: String) async throws {
        let harness = try await Self.harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        var fields = ["to": "bob@x.org", "subject": "S", "text": "T"]
        fields[field] = (fields[field] ?? "") + "\r\nBcc: eve@y.org\r\n\r\n"
        let form = fields.map { "\($0.key)=\(Self.encoded($0.value))" }.joined(separator: "&")
        let answer = try await ann.post("/library/send", "act=send&\(form)", harness)
        #expect([303, 400, 404, 422].contains(answer.status), "\(answer.status)")
        for letter in try await Self.letters(harness) {
            let others = letter.recipients.filter { $0.role != .copy }
            #expect(others.map(\.addressee.address) == ["bob@x.org"])
            #expect(!letter.subject.contains { $0.isNewline })
        }
        if let place = answer["location"] { #expect(!place.contains("Bcc")) }
        try await harness.stop()
    }

    /// Where no server takes letters the page says what to do, and keeps what was written.
    @Test
    func lettersThatAreOff() async throws {
        let harness = try await Self.harness(isOn: false)
        let words = Words(language: .en)
        let file = try #require(
            try await harness.store.library.files(
                with: [harness.people.parts[0].digest], of: harness.people.ann.id
            ).first)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let page = try await ann.get("/library/send?item-file-\(file.id)=1", harness)
        #expect(page.text.contains(words("letter.off.others")) && !page.text.contains("/office/outbox/server"))
        #expect(page.text.contains("/library/links/new?items=file-\(file.id)"))
        let late = try await ann.post("/library/send", "act=send&to=bob%40x.org&text=written", harness)
        #expect(late.text.contains("written</textarea>"))
        let root = try await BrowserSession(harness.people.root, harness)
        #expect(try await root.get("/library/send", harness).text.contains("href=\"/office/outbox/server\""))
        // The person's own mail program answers meanwhile.
        #expect(try await ann.get("/library/emails/\(harness.people.email)", harness).text.contains("href=\"mailto:"))
        try await harness.stop()
    }

    /// A letter that came when its session had ended is shown again to its writer alone, and not sent.
    @Test
    func aLateLetterIsShownAgain() async throws {
        let harness = try await Self.harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let page = try await ann.get("/library/send", harness)
        let writer = try #require(Self.value("writer", page))
        try await harness.store.accounts.revokeTokens([.web], of: harness.people.ann.id, keeping: nil, actor: "test")
        let text = "Dear Bob,\r\n<b>\"2\"</b> {{csrf}} 基金"
        let form = "writer=\(writer)&act=send&to=bob%40x.org&cc=eve%40y.org&subject=S&copy=1&text=\(Self.encoded(text))"
        let late = try await ann.post("/library/send", form, harness)
        #expect(late.status == 200 && late["cache-control"] == "no-store")
        let draft = try #require(Self.value("draft", late))
        func signIn(_ name: String) async throws -> RawHTTPResponse {
            try await harness.send(
                "POST", "/sign-in", fields: BrowserSession.ownForm,
                body: Array("username=\(name)%40example.com&password=\(BrowserSession.password)&draft=\(draft)".utf8))
        }
        let shown = try await signIn("ann")
        #expect(shown.status == 200 && shown.text.contains("&lt;b&gt;&quot;2&quot;&lt;/b&gt; {{csrf}} 基金</textarea>"))
        #expect(Self.value("to", shown) == "bob@x.org" && Self.value("cc", shown) == "eve@y.org")
        #expect(shown.text.contains("name=\"copy\" value=\"1\" checked") && shown.text.contains(" data-unsaved"))
        #expect(try await signIn("bea").text.contains("基金") == false)
        #expect(try await Self.letters(harness).isEmpty)
        try await harness.stop()
    }

    /// A selection leads to the page of a letter or of a link, with its items in the address.
    @Test
    func aSelectionIsShared() async throws {
        let harness = try await Self.harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let form = "item-file-1=1&item-note-2=1&back=%2Flibrary%2Ffunds%2F1"
        for (act, address) in [
            ("send", "/library/send?item-file-1=1&item-note-2=1"), ("link", "/library/links/new?items=file-1.note-2"),
        ] {
            let answer = try await ann.post("/library/share", "act=\(act)&\(form)", harness)
            #expect(answer["location"] == "\(address)&back=/library/funds/1")
        }
        let none = try await ann.post("/library/share", "act=send", harness)
        #expect(none["location"] == "/library?done=nothing")
        let many = (1...201).map { "item-file-\($0)=1" }.joined(separator: "&")
        #expect(try await ann.post("/library/share", many, harness)["location"] == "/library?done=too-many")
        try await harness.stop()
    }

    /// A mail is passed on with its text and its files, or where a file is gone as a whole.
    @Test
    func aMailIsPassedOn() async throws {
        let harness = try await Self.harness()
        let (library, user, email) = (harness.store.library, harness.people.ann.id, harness.people.email)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let page = try await ann.get("/library/send?forward=\(email)", harness)
        let files = try await library.files(with: Set(harness.people.parts.map(\.digest)), of: user)
        #expect(files.count == 3)
        for file in files { #expect(page.text.contains("name=\"item-file-\(file.id)\"")) }
        #expect(Self.value("subject", page)?.hasPrefix("Fwd: ") == true)
        #expect(page.text.contains(Words(language: .en)("letter.forwarded")))
        try await library.delete(.file(files[0].id), if: nil, of: user)
        let rest = try await ann.get("/library/send?forward=\(email)", harness)
        #expect(rest.text.contains("name=\"item-email-\(email)\" value=\"1\"><"))
        try await harness.stop()
    }
}
