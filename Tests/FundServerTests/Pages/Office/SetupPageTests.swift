import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// The first start: the code, the administrator, the first person.
struct SetupPageTests {
    private static let form = "new=a+long+enough+one&again=a+long+enough+one"

    private static func harness(hasCode: Bool = true) async throws -> (ServerHarness, SetupCode) {
        let code = SetupCode()
        var options = ServerHarness.Options()
        if hasCode { options.setup.code = code }
        let harness = try await ServerHarness(options)
        try await harness.store.administration.setDisabled(true, user: harness.people.root.id, actor: "test")
        return (harness, code)
    }

    private static func post(
        _ form: String, _ harness: ServerHarness, fields: [String: String] = [:]
    ) async throws -> RawHTTPResponse {
        try await harness.send(
            "POST", "/setup", fields: BrowserSession.ownForm.merging(fields) { $1 }, body: Array(form.utf8))
    }

    @Test
    func theCodeMakesTheAdministrator() async throws {
        let (harness, code) = try await Self.harness()
        let start = try await harness.send("GET", "/sign-in")
        #expect(start.text.contains(#"href="/setup""#))
        let first = try await harness.send("GET", "/setup")
        #expect(first.status == 200 && first.text.contains(#"name="code""#) && !first.text.contains(#"name="email""#))
        #expect(first["cache-control"] == "no-store")
        let wrong = try await Self.post("code=0000-0000-0000-0000-0000&email=a%40b.example&\(Self.form)", harness)
        #expect(wrong.status == 422 && !wrong.text.contains(code.text))
        let right = try await Self.post("code=\(code.text.uppercased().replacing("-", with: "+"))", harness)
        #expect(right.status == 200 && right.text.contains(#"name="email""#))
        for (form, field) in [
            ("email=nobody&\(Self.form)", "email"), ("email=a%40b.example&new=short&again=short", "new"),
            ("email=a%40b.example&new=a+long+enough+one&again=another+long+one", "again"),
            ("email=a-long-address%40b.example&new=a-long-address&again=a-long-address", "new"),
        ] {
            let page = try await Self.post("code=\(code.text)&\(form)", harness)
            #expect(page.status == 422 && page.text.contains("href=\"#\(field)\""), "\(form)")
            #expect(!page.text.contains("enough"))
        }
        let made = try await Self.post(
            "code=\(code.text)&email=New%40example.com&name=%3Cb%3ENew&\(Self.form)", harness)
        #expect(made.status == 303 && made["location"] == "/office/mailboxes/new?setup=1")
        let cookie = try #require(made["set-cookie"]).prefix { $0 != ";" }
        let next = try await harness.send("GET", "/office/mailboxes/new?setup=1", fields: ["Cookie": String(cookie)])
        #expect(next.status == 200 && next.text.contains(#"aria-current="step""#))
        // It was for once.
        for answer in [
            try await harness.send("GET", "/setup"),
            try await Self.post("code=\(code.text)&email=b%40b.example&\(Self.form)", harness),
        ] { #expect(answer.status == 404) }
        #expect(try await !harness.send("GET", "/sign-in").text.contains("/setup"))
        let signedIn = try await harness.send(
            "POST", "/sign-in", fields: BrowserSession.ownForm,
            body: Array("username=new%40example.com&password=a+long+enough+one".utf8))
        #expect(signedIn.status == 303)
        let trail = try await harness.store.administration.audit(AuditFilter(), PageQuery(limit: 5)).items
        #expect(trail.map(\.action).contains("user.add"))
        try await harness.stop()
    }

    /// A person who was registered before keeps what they have, and gets a new password.
    @Test
    func aPersonBecomesAdministrator() async throws {
        let (harness, code) = try await Self.harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let made = try await Self.post("code=\(code.text)&email=ann%40example.com&\(Self.form)", harness)
        #expect(made.status == 303)
        let record = try await harness.store.administration.user(harness.people.ann.id)
        #expect(record.user.isAdministrator && record.fundCount == 1)
        #expect(try await ann.get("/library", harness).status == 303, "sessions with the password before end")
        try await harness.stop()
    }

    @Test
    func onlyOneOfManyBrowsersMakesIt() async throws {
        let (harness, code) = try await Self.harness()
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await Self.post("code=\(code.text)&email=u\(number)%40b.example&\(Self.form)", harness).status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(
            answers.filter { $0 == 303 }.count == 1 && Set(answers).subtracting([303, 404, 503]).isEmpty, "\(answers)")
        let users = try await harness.store.administration.users()
        #expect(users.filter { $0.user.isAdministrator && !$0.user.isDisabled }.count == 1)
        try await harness.stop()
    }

    @Test
    func isClosedByAnAdministratorFromElsewhere() async throws {
        let (harness, code) = try await Self.harness()
        #expect(try await harness.send("GET", "/setup").status == 200)
        try await harness.store.administration.setDisabled(false, user: harness.people.root.id, actor: "test")
        #expect(try await Self.post("code=\(code.text)", harness).status == 404)
        #expect(try await harness.send("GET", "/setup").status == 404)
        // And stays so until the next start.
        try await harness.store.administration.setDisabled(true, user: harness.people.root.id, actor: "test")
        #expect(try await harness.send("GET", "/setup").status == 404)
        try await harness.stop()
    }

    @Test
    func refusesOtherSites() async throws {
        let (harness, code) = try await Self.harness()
        for fields in [["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"]] {
            #expect(try await Self.post("code=\(code.text)", harness, fields: fields).status == 403)
        }
        try await harness.stop()
    }

    /// Strangers guess, and keep the right code from being looked at no longer than that.
    @Test
    func wrongCodesHaveToWait() throws {
        let code = SetupCode()
        #expect(code.text.utf8.count == 24 && SetupCode().text != code.text)
        let now = ContinuousClock.now
        for _ in 0..<SetupCode.maxInMinute { #expect(code.check("wrong", at: now) == .wrong) }
        guard case .wait(let seconds) = code.check("wrong", at: now) else {
            Issue.record("further wrong codes have to wait")
            return
        }
        #expect(code.check(code.text, at: now) == .right)
        #expect(code.check("wrong", at: now + .seconds(seconds)) == .wrong)
        code.close()
        #expect(code.check(code.text, at: now) == .closed)
    }

    @Test(arguments: ["", "-", "é", "ooooo", String(repeating: "a", count: 1000)])
    func takesNothingElseForTheCode(_ typed: String) {
        #expect(SetupCode().check(typed) == .wrong)
    }

    @Test
    func addsThePersonAndShowsThatMailCame() async throws {
        let harness = try await ServerHarness()
        let root = try await BrowserSession(harness.people.root, harness)
        for (form, field) in [
            ("email=x&fund=F", "email"), ("email=c%40example.com&fund=", "fund"),
            ("email=c%40example.com&fund=%5BF%5D", "fund"),
        ] {
            let page = try await root.post("/setup/person", form, harness)
            #expect(page.status == 422 && page.text.contains("href=\"#\(field)\""), "\(form)")
        }
        let added = try await root.post(
            "/setup/person", "email=Cy%40example.com&name=Cy&fund=%3Ci%3EAlpha", harness)
        #expect(added.status == 303)
        let place = try #require(added["location"])
        let page = try await root.get(place, harness)
        #expect(page.text.contains("[&lt;i&gt;Alpha]") && page.text.contains("cy@example.com"))
        #expect(page.text.contains("Waiting for your first mail") && page.text.contains(#"href="/desk""#))
        // Mail has come into Ann's fund.
        let came = try await root.get("/setup/done?fund=\(harness.people.fund.id)", harness)
        #expect(came.text.contains("It arrived") && !came.text.contains("Waiting for your first mail"))
        // The person is there already, and so is the fund.
        #expect(try await root.post("/setup/person", "email=cy%40example.com&fund=Beta", harness).status == 303)
        #expect(try await root.get("/setup/done?fund=x", harness).text.contains("[Beta]"))
        try await harness.stop()
    }
}

/// The form of a mailbox, over a program that answers as it is told.
struct NewMailboxPageTests {
    private static let form =
        "scheme=imaps&host=mail.example&user=f%40example.com&password=ses%26ame&folder=&trust=dmarc"

    private final class Program: Sendable {
        let answer = Mutex(MailboxAnswer.busy)
        let asked = Mutex<[(MailboxProposal, Bool)]>([])
    }

    private static func harness() async throws -> (ServerHarness, Program, BrowserSession) {
        let program = Program()
        var options = ServerHarness.Options()
        options.setup.addMailbox = { proposal, isKeptAnyway, isAllowed in
            guard await isAllowed() else { return .forbidden }
            program.asked.withLock { $0.append((proposal, isKeptAnyway)) }
            return program.answer.withLock { $0 }
        }
        options.setup.hasMailboxes = { false }
        let harness = try await ServerHarness(options)
        return (harness, program, try await BrowserSession(harness.people.root, harness))
    }

    /// The administrator who sets it up is not told to ask an administrator for the address.
    @Test
    func tellsTheAdministratorHowTheAddressBecomesKnown() async throws {
        let (harness, _, root) = try await Self.harness()
        let page = try await root.get("/setup/done?fund=\(harness.people.fund.id)", harness)
        #expect(page.status == 200 && page.text.contains("id=\"main\""), "\(page.text.prefix(600))")
        let (known, asks) = (Words(language: .en)("card.noaddress.office"), Words(language: .en)("card.noaddress"))
        #expect(page.text.contains(known) && !page.text.contains(asks))
        try await harness.stop()
    }

    @Test
    func showsWhatTheTestFound() async throws {
        let (harness, program, root) = try await Self.harness()
        let hostile = "<script>alert(1)</script>\u{202E}"
        program.answer.withLock {
            $0 = .failed([Finding(.ok, subject: .mailbox, "fine"), Finding(.failure, subject: .mailbox, hostile)])
        }
        let failed = try await root.post("/office/mailboxes/new", Self.form, harness)
        #expect(
            failed.status == 422 && failed.text.contains("&lt;script&gt;") && !failed.text.contains("<script>alert"))
        #expect(failed.text.contains(#"name="keep""#) && !failed.text.contains("ses&amp;ame"))
        #expect(failed["cache-control"] == "no-store")
        // The password comes back sealed, for this administrator alone.
        let start = try #require(failed.text.firstRange(of: #"name="sealed" value=""#))
        let sealed = failed.text[start.upperBound...].prefix { $0 != "\"" }
        program.answer.withLock { $0 = .added("funds", [Finding(.warning, subject: .mailbox, "w")]) }
        let kept = Self.form.replacing("password=ses%26ame", with: "password=&sealed=\(sealed)&keep=1&setup=1")
        let added = try await root.post("/office/mailboxes/new", kept, harness)
        #expect(added.status == 200 && added.text.contains(#"href="/setup/person""#))
        let asked = program.asked.withLock { $0 }
        #expect(asked.map { $0.0.password } == ["ses&ame", "ses&ame"] && asked.map { $0.1 } == [false, true])
        var filter = AuditFilter()
        filter.action = "mailbox.add"
        let trail = try await harness.store.administration.audit(filter, PageQuery()).items
        #expect(trail.map(\.subject) == ["funds"] && !trail[0].detail.contains("ses"))
        #expect(
            try await root.post(
                "/office/mailboxes/new", kept.replacing("sealed=", with: "sealed=A"), harness
            ).status == 400)
        try await harness.stop()
    }

    @Test(arguments: MailboxField.allCases)
    func leadsToTheField(_ field: MailboxField) async throws {
        let (harness, program, root) = try await Self.harness()
        program.answer.withLock { $0 = .wrong(field) }
        let page = try await root.post("/office/mailboxes/new", Self.form, harness)
        let id = field == .duplicate ? "user" : field.rawValue
        #expect(page.status == 422 && page.text.contains("href=\"#\(id)\"") && page.text.contains("id=\"\(id)\""))
        #expect(page.text.contains(#"aria-invalid="true""#))
        try await harness.stop()
    }

    @Test
    func saysWhatToDoByHand() async throws {
        let (harness, program, root) = try await Self.harness()
        program.answer.withLock { $0 = .byHand(why: "<b>", lines: "  - name: x\n    url: y", []) }
        let page = try await root.post("/office/mailboxes/new", Self.form, harness)
        #expect(page.status == 409 && page.text.contains("  - name: x\n    url: y") && page.text.contains("&lt;b&gt;"))
        program.answer.withLock { $0 = .busy }
        #expect(try await root.post("/office/mailboxes/new", Self.form, harness).status == 503)
        #expect(try await root.post("/office/mailboxes/new", "scheme=file&host=x", harness).status == 400)
        let desk = try await root.get("/desk", harness)
        #expect(desk.text.contains(#"href="/office/mailboxes/new""#))
        try await harness.stop()
    }
}
