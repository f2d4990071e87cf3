import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Letters that go out, as administrators see them.
struct OutboxPageTests {
    private static let path = "/office/outbox"
    private static let server = LetterServer(name: "mail.corp.example", from: "Fundmail <funds@corp.example>")
    private static let reply = "550 5.1.1 <b>no such user"

    private static func harness(isOn: Bool = true) async throws -> (ServerHarness, BrowserSession) {
        var options = ServerHarness.Options()
        if isOn { options.letterServer = server }
        let harness = try await ServerHarness(options)
        return (harness, try await BrowserSession(harness.people.root, harness))
    }

    private static func state(_ id: OutboxLetter.ID, _ harness: ServerHarness) async throws -> OutboxLetter.State {
        try await harness.store.outbox.letter(id).state
    }

    /// Each state has its word, and the acts that make sense; an uncertain letter is asked about first.
    @Test
    func showsEveryState() async throws {
        let (harness, root) = try await Self.harness()
        #expect(try await root.get(Self.path, harness).text.contains("No letter was written yet."))
        var ids: [OutboxLetter.State: OutboxLetter.ID] = [:]
        for state in OutboxLetter.State.allCases {
            ids[state] = try harness.letter(state, to: "\(state.rawValue)@example.com", note: Self.reply)
        }
        let page = try await root.get(Self.path, harness).text
        #expect(page.contains("2 letters wait") && page.contains("2 need a look."))
        #expect(page.contains("mail.corp.example") && !page.contains("Letters are off"))
        #expect(page.contains("550 5.1.1 &lt;b&gt;no such user") && !page.contains("<b>no such"))
        for (state, id) in ids {
            let letter = try await root.get("\(Self.path)/letters/\(id)", harness).text
            #expect(letter.contains(Words(language: .en)("outbox.state.\(state.rawValue)")), "\(state)")
            #expect(letter.contains("\(state.rawValue)@example.com"))
            let acts = ["retry", "drop"].filter { letter.contains("/letters/\(id)/\($0)\"") }
            let expected: [String] =
                switch state {
                case .sending, .sent: []
                case .dropped: ["retry"]
                case .queued, .deferred, .failed, .uncertain: ["retry", "drop"]
                }
            #expect(acts == expected, "\(state)")
            #expect(letter.contains(#"name="twice""#) == (state == .uncertain), "\(state)")
        }
        let troubled = try await root.get(Self.path + "?state=troubled", harness).text
        #expect(troubled.contains("failed@example.com") && troubled.contains("uncertain@example.com"))
        #expect(!troubled.contains("sent@example.com"))
        let hers = try await root.get(Self.path + "?to=sent%40example.com", harness).text
        #expect(hers.contains("sent@example.com") && !hers.contains("failed@example.com"))
        #expect(try await root.get(Self.path + "?state=lost", harness).status == 400)
        try await harness.stop()
    }

    @Test
    func sendsAnewAndDrops() async throws {
        let (harness, root) = try await Self.harness()
        func act(_ id: OutboxLetter.ID, _ act: String, _ form: String = "") async throws -> String? {
            let answer = try await root.post(
                "\(Self.path)/letters/\(id)/\(act)", "back=/office/outbox&\(form)", harness)
            #expect(answer.status == 303)
            return answer["location"]
        }
        let failed = try harness.letter(.failed)
        #expect(try await act(failed, "retry") == "/office/outbox?done=letter-retried")
        #expect(try await Self.state(failed, harness).waits)
        // One that waits is dropped with an undo, which sends it after all.
        let dropped = try #require(try await act(failed, "drop"))
        #expect(dropped.hasPrefix("/office/outbox?done=letter-dropped&undo="))
        let page = try await root.get(dropped, harness).text
        #expect(page.contains(#"action="/office/outbox/letters/\#(failed)/retry""#) && page.contains("Undo"))
        #expect(try await act(failed, "retry") == "/office/outbox?done=letter-retried")

        // A letter that may have arrived is sent anew only by the one who was asked.
        let uncertain = try harness.letter(.uncertain, to: "bea@example.com")
        #expect(try await act(uncertain, "retry") == "/office/outbox?done=letter-changed")
        #expect(try await Self.state(uncertain, harness) == .uncertain)
        #expect(try await act(uncertain, "retry", "twice=1") == "/office/outbox?done=letter-retried")
        let sent = try harness.letter(.sent, to: "dan@example.com")
        for word in ["retry", "drop"] {
            #expect(try await act(sent, word) == "/office/outbox?done=letter-changed")
        }
        let trail = try await harness.store.administration.audit(AuditFilter(), PageQuery()).items
        #expect(trail.filter { $0.action.hasPrefix("outbox.") }.count == 4)
        let audit = try await root.get("/office/audit?action=outbox", harness).text
        #expect(audit.contains("dropped the letter to") && audit.contains("/office/outbox/letters/\(uncertain)"))
        try await harness.stop()
    }

    @Test
    func actsOnAll() async throws {
        let (harness, root) = try await Self.harness()
        let failed = try (1...3).map { try harness.letter(.failed, to: "f\($0)@example.com") }
        let uncertain = try harness.letter(.uncertain)
        let page = try await root.get(Self.path + "?state=troubled", harness).text
        #expect(page.contains("Send all 3 that failed anew") && page.contains("Drop the one that may have arrived"))
        #expect(try await root.post(Self.path + "/all", "act=x", harness).status == 400)
        #expect(try await root.post(Self.path + "/all", "act=retry&to=f1%40example.com", harness).status == 303)
        #expect(try await Self.state(failed[0], harness).waits)
        #expect(try await Self.state(failed[1], harness) == .failed)
        #expect(try await root.post(Self.path + "/all", "act=retry", harness).status == 303)
        for id in failed { #expect(try await Self.state(id, harness).waits) }
        #expect(try await Self.state(uncertain, harness) == .uncertain)
        #expect(try await root.post(Self.path + "/all", "act=drop", harness).status == 303)
        #expect(try await Self.state(uncertain, harness) == .dropped)
        try await harness.stop()
    }

    /// Without a server the pages say so, and how to name one; no person can choose letters that do not come.
    @Test
    func saysThatLettersAreOff() async throws {
        let (harness, root) = try await Self.harness(isOn: false)
        let page = try await root.get(Self.path, harness).text
        #expect(page.contains("Letters are off") && page.contains(#"href="/office/outbox/server""#))
        #expect(try await !root.get("/office/health", harness).text.contains("Letters that go out"))
        _ = try harness.letter(.queued)
        #expect(try await root.get("/office/health", harness).text.contains("Letters are off, and 1 waits"))
        let account = try await root.get("/account", harness).text
        #expect(account.contains("Letters are off here") && !account.contains(#"name="receipts""#))
        let form = try await root.get("/office/outbox/server", harness).text
        #expect(form.contains(#"name="from""#) && form.contains("root@example.com"))
        try await harness.stop()
    }

    @Test(
        arguments: [
            (.failed, 0, "1 letter failed"), (.queued, 7200, "They wait for 2 h"),
            (.uncertain, 0, "1 letter may have arrived"), (.sent, 0, "All go out"), (.queued, 60, "All go out"),
        ] as [(OutboxLetter.State, Int, String)])
    func healthSaysHowLettersAre(state: OutboxLetter.State, age: Int, words: String) async throws {
        let (harness, root) = try await Self.harness()
        _ = try harness.letter(state, queuedAt: .now - .seconds(age))
        let page = try await root.get("/office/health", harness).text
        #expect(page.contains(words) && page.contains(#"href="/office/outbox""#), "\(state)")
        try await harness.stop()
    }

    /// The reason why no letter goes out says more than one letter that failed.
    @Test
    func healthSaysWhyNoLetterGoesOut() async throws {
        var options = ServerHarness.Options()
        options.letterServer = Self.server
        options.figures = HealthFigures(letters: LetterFigures(waiting: 1, troubled: 1, problem: "<b>535 no"))
        let harness = try await ServerHarness(options)
        _ = try harness.letter(.failed)
        let page = try await BrowserSession(harness.people.root, harness).get("/office/health", harness).text
        #expect(page.contains("No letter goes out") && page.contains("&lt;b&gt;535 no"))
        try await harness.stop()
    }

    @Test
    func peopleChooseTheirLetters() async throws {
        let (harness, root) = try await Self.harness()
        let people = harness.people
        func choice(of user: User) async throws -> ReceiptChoice? {
            try await harness.store.administration.user(user.id).user.receipts
        }
        let ann = try await BrowserSession(people.ann, harness)
        #expect(try await ann.get("/account", harness).text.contains(#"<option value="mailbox" selected>"#))
        #expect(try await ann.post("/account/receipts", "receipts=problems", harness).status == 303)
        #expect(try await choice(of: people.ann) == .problems)
        #expect(try await ann.get("/account", harness).text.contains(#"<option value="problems" selected>"#))
        #expect(try await ann.post("/account/receipts", "receipts=everything", harness).status == 400)
        let person = "/office/people/\(people.ann.id)"
        #expect(try await root.get(person, harness).text.contains(#"<option value="problems" selected>"#))
        #expect(try await root.post(person + "/receipts", "receipts=mailbox", harness).status == 303)
        #expect(try await choice(of: people.ann) == nil)
        #expect(try await ann.post(person + "/receipts", "receipts=all", harness).status == 403)
        let audit = try await root.get("/office/audit?action=user.update", harness).text
        #expect(audit.contains("chose which letters they get") && audit.contains("those about problems"))
        try await harness.stop()
    }

    @Test
    func theAPISaysTheSame() async throws {
        let (harness, _) = try await Self.harness()
        let root = try await harness.token(of: harness.people.root)
        let ann = try await harness.token(of: harness.people.ann)
        let id = try harness.letter(.uncertain, note: "no answer")
        let list = try await harness.send("GET", "/api/v1/admin/outbox?state=troubled", token: root).text
        #expect(
            list.contains(
                #"{"letters":[{"id":\#(id),"state":"uncertain","recipient":"ann@example.com","cause":"filed","#))
        #expect(list.contains(#""subject":"first""#) || list.contains(#""subject":"#))
        #expect(try await harness.send("GET", "/api/v1/admin/outbox?state=x", token: root).status == 400)
        let path = "/api/v1/admin/outbox/\(id)"
        #expect(try await harness.send("POST", path + "/retry", token: root).status == 409)
        let retried = try await harness.send("POST", path + "/retry?may_arrive_twice=true", token: root)
        #expect(retried.status == 200 && retried.text.contains(#""state":"deferred""#))
        let dropped = try await harness.send("POST", path + "/drop", token: root)
        #expect(dropped.status == 200 && dropped.text.contains(#""state":"dropped""#))
        #expect(try await harness.send("POST", "/api/v1/admin/outbox/1/drop", token: root).status == 404)

        let changed = try await harness.send("PATCH", "/api/v1/me", token: ann, json: #"{"receipts":"filed"}"#)
        #expect(changed.status == 200 && changed.text.contains(#""receipts":"filed""#))
        #expect(try await harness.send("PATCH", "/api/v1/me", token: ann, json: #"{"receipts":"x"}"#).status == 400)
        let back = try await harness.send(
            "PATCH", "/api/v1/admin/users/\(harness.people.ann.id)", token: root, json: #"{"receipts":"mailbox"}"#)
        #expect(back.status == 200 && back.text.contains(#""receipts":"mailbox""#))
        try await harness.stop()
    }
}
