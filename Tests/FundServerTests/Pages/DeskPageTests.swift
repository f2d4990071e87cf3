import Foundation
import FundCore
import FundStore
import Ingest
import TestSupport
import Testing

@testable import FundServer

/// The misrouted desk as pages and forms, and what its scripts are answered.
struct DeskPageTests {
    /// From the list to the message, into the fund, and back: by links and forms alone.
    @Test
    func filesAndUndoesByForms() async throws {
        let visit = try await DeskVisit()
        let id = try await visit.desk.keep("Q3 report")
        let before = try await visit.waiting()
        let list = try await visit.get("/desk")
        #expect(list.contains("href=\"/desk/messages/\(id)\"") && list.contains("(\(before)) Desk"))
        let message = try await visit.get("/desk/messages/\(id)")
        #expect(message.contains("name=\"fund\" value=\"\(visit.fund)\"") && message.contains("the only fund"))
        let filed = try await visit.act("message-\(id)=1&fund=\(visit.fund)&back=/desk")
        let next = try #require(filed["location"])
        #expect(next.hasPrefix("/desk?") && next.contains("act="))
        let done = try await visit.get(next)
        #expect(done.contains("1 message filed into [\u{2068}Fund1\u{2069}]"))
        #expect(try await visit.waiting() == before - 1)
        let act = try #require(done.firstMatch(of: /\/desk\/acts\/(\d+)\/undo/)?.1)
        #expect(try await visit.get("/desk/done").contains("/desk/acts/\(act)/undo"))
        // An act that is refused is not undone.
        let many = (1...DeskService.maxMessages + 1).map { "message-\($0)=1" }.joined(separator: "&")
        _ = try await visit.act(many, 400, at: "/desk/acts/\(act)/undo")
        #expect(try await visit.waiting() == before - 1)
        _ = try await visit.act("back=/desk", at: "/desk/acts/\(act)/undo")
        #expect(try await visit.waiting() == before)
        let again = try await visit.act("back=/desk", 409, at: "/desk/acts/\(act)/undo")
        #expect(again.text.contains("root@example.com undid it before") || again.text.contains("meanwhile"))
        try await visit.harness.stop()
    }

    /// A message says where it stands among those that wait; a script that has the list is sent the message alone.
    @Test
    func saysWhereAMessageStands() async throws {
        let visit = try await DeskVisit()
        let before = try await visit.waiting()
        let ids = [try await visit.desk.keep("a"), try await visit.desk.keep("b")]
        let whole = try await visit.get("/desk/messages/\(ids[0])")
        #expect(whole.contains("data-place>\(before + 1) of \(before + 2)<"))
        #expect(whole.contains("data-step=\"1\" href=\"/desk/messages/\(ids[1])\""))
        let path = "/desk/messages/\(ids[1])"
        let part = try await visit.root.get(path, visit.harness, fields: ["Sec-Fetch-Dest": "empty"])
        #expect(part.status == 200 && part.text.contains("data-place></span>") && !part.text.contains("data-groups"))
        try await visit.harness.stop()
    }

    /// A fund of another person is asked about once, with both names; nothing is filed before.
    @Test
    func asksBeforeAnotherPersonGetsIt() async throws {
        let visit = try await DeskVisit()
        let other = visit.harness.people.otherFund.id
        let id = try await visit.desk.keep("for Bea")
        let before = try await visit.waiting()
        let asked = try await visit.act("message-\(id)=1&fund=\(other)&remember=1", 409)
        #expect(asked.text.contains("ann@example.com") && asked.text.contains("bea@example.com"))
        #expect(asked.text.contains("name=\"confirm_owner\"") && !asked.text.contains("name=\"remember\""))
        #expect(asked.text.contains("name=\"fund\" value=\"\(other)\""))
        #expect(try await visit.waiting() == before)
        let script = try await visit.json("message-\(id)=1&fund=\(other)")
        let refused = try #require(script["refused"] as? [[String: Any]])
        #expect(refused.count == 1 && refused[0]["asks"] as? Bool == true && script["act"] is NSNull)
        _ = try await visit.act("message-\(id)=1&fund=\(other)&confirm_owner=1")
        #expect(try await visit.waiting() == before - 1)
        try await visit.harness.stop()
    }

    /// A message that cannot be filed holds up no other, and is named with its reason.
    @Test
    func saysWhatWasRefused() async throws {
        let visit = try await DeskVisit()
        let (first, second) = (try await visit.desk.keep("a"), try await visit.desk.keep("b"))
        _ = try await visit.act("message-\(first)=1&fund=\(visit.fund)")
        let partly = try await visit.act("message-\(first)=1&message-\(second)=1&fund=\(visit.fund)", 200)
        #expect(partly.text.contains("1 message filed") && partly.text.contains("/desk/messages/\(first)"))
        #expect(partly.text.contains("Root@example.com filed it into"))
        let late = try await visit.json("message-\(second)=1&fund=\(visit.fund)")
        let refused = try #require(late["refused"] as? [[String: Any]])
        #expect(refused.count == 1 && (refused[0]["why"] as? String)?.contains("filed it into") == true)
        for form in [
            "kind=reject", "message-\(first)=1", "message-\(first)=1&kind=explode", "file=x&kind=reject", "file=-1--1",
            "message-\(first)=1&like=\(first)&up_to=\(second)&kind=reject",
            "message-\(second)=1&kind=reject&note=\(String(repeating: "n", count: 2001))",
        ] {
            _ = try await visit.act(form, 400)
        }
        _ = try await visit.act("message-\(first)=1&kind=later&days=9999", 400)
        _ = try await visit.act((1...501).map { "message-\($0)=1" }.joined(separator: "&") + "&kind=retry", 400)
        try await visit.harness.stop()
    }

    /// All of a cause at once, up to the last that the page knew, and one undo for all.
    @Test
    func fixesACause() async throws {
        let visit = try await DeskVisit()
        let ann = visit.harness.people.ann
        var ids: [Int64] = []
        for number in 1...12 {
            ids.append(try await visit.desk.keep("r\(number)", .unknownFund, from: ann.email, of: ann, tag: "Fnud1"))
        }
        let list = try await visit.get("/desk")
        #expect(list.contains("Show all 12") && !list.contains("/desk/messages/\(ids[11])\""))
        let card = try await visit.get("/desk/causes/\(ids[0])?q=r12")
        let fields = card.matches(of: /<input type="hidden" name="(like|up_to|cause)" value="([^"]*)">/).map {
            "\($0.1)=\(PercentCoding.encoded(String($0.2)) { ASCII.isAlphanumeric($0) })"
        }
        #expect(fields.count == 3 && card.contains("/desk/messages/\(ids[11])\""))
        let later = try await visit.desk.keep("r13", .unknownFund, from: ann.email, of: ann, tag: "Fnud1")
        let form = fields.joined(separator: "&") + "&fund=\(visit.fund)&remember=1"
        let filed = try await visit.act(form)
        let done = try await visit.get(try #require(filed["location"]))
        #expect(done.contains("12 messages filed") && done.contains("Remembered: \u{2068}Fnud1\u{2069}"))
        // A message that came after the page was made waits, and would be filed now.
        #expect(try await visit.get("/desk/messages/\(later)").contains("r13"))
        #expect(try await visit.get("/desk/learnt").contains("[\u{2068}Fnud1\u{2069}] leads to"))
        let lesson = try #require(try await visit.harness.store.administration.learnt(PageQuery()).items.first).id
        #expect(try await visit.get("/desk/learnt/\(lesson)").contains("waits at the desk"))
        _ = try await visit.act("", at: "/desk/learnt/\(lesson)/take-back")
        #expect(try await visit.harness.store.administration.fund(visit.fund).fund.aliases.isEmpty)
        try await visit.harness.stop()
    }

    /// Mail that may be forged: put aside first, no key and no button that files it, and one question that names the
    /// risk. An address is remembered when it is proven, or typed once more; a new fund is made of a tag.
    @Test
    func remembersWithASecondWord() async throws {
        let visit = try await DeskVisit()
        let id = try await visit.desk.keep("x", .unknownSender, from: "new@gmail.com", isUnverified: true)
        let page = try await visit.get("/desk/messages/\(id)")
        for button in [
            "name=\"remember\"", "name=\"register\"", "name=\"fund\"", "data-press=\"1\"", "data-press=\"a\"",
        ] {
            #expect(!page.contains(button), "\(button)")
        }
        #expect(page.components(separatedBy: "class=\"primary").count == 2)
        let put = try #require(page.firstRange(of: "class=\"primary aside\" name=\"kind\" value=\"reject\"")).lowerBound
        #expect(try put < #require(page.firstRange(of: "name=\"anyway\"")).lowerBound)
        let asked = try await visit.act("message-\(id)=1&fund=\(visit.fund)&remember=1", 409)
        #expect(asked.text.contains("may have forged the sender") && asked.text.contains("It is genuine"))
        #expect(
            asked.text.contains("name=\"confirm_unverified\" value=\"1\"") && !asked.text.contains("name=\"remember\""))
        // To put it aside is the first and the larger of the two buttons.
        let aside = try #require(asked.text.firstRange(of: "name=\"kind\" value=\"reject\""))
        let genuine = try #require(asked.text.firstRange(of: "name=\"fund\" value=\"\(visit.fund)\""))
        #expect(aside.lowerBound < genuine.lowerBound)
        let unproven = try await visit.act(
            "message-\(id)=1&fund=\(visit.fund)&remember=1&confirm_unverified=1", 200)
        #expect(unproven.text.contains("Not remembered") && unproven.text.contains("new@gmail.com"))
        let second = try await visit.desk.keep("y", .unknownSender, from: "new@gmail.com", isUnverified: true)
        let address = "confirm_address=new%40gmail.com&confirm_unverified=1"
        _ = try await visit.act("message-\(second)=1&fund=\(visit.fund)&remember=1&\(address)")
        #expect(try await visit.harness.store.administration.learnt(PageQuery()).items.count == 1)
        let ann = visit.harness.people.ann
        let forged = try await visit.desk.keep("z", .unverifiedSender, from: ann.email, of: ann)
        let warned = try await visit.get("/desk/messages/\(forged)")
        #expect(warned.contains("This may not be from \u{2068}\(ann.email)\u{2069}") && warned.contains("data-danger"))
        #expect(!warned.contains("name=\"remember\"") && !warned.contains("name=\"fund\""))
        #expect(try await !visit.get("/desk?q=z").contains("name=\"file\""))
        // The only question, with the fund on it.
        let risk = try await visit.act("message-\(forged)=1&anyway=1&remember=1", 200, at: "/desk/choose")
        #expect(risk.text.contains("may be forged") && risk.text.contains("data-danger"))
        #expect(
            risk.text.contains("name=\"confirm_unverified\" value=\"1\"") && !risk.text.contains("name=\"remember\""))
        #expect(risk.text.contains("name=\"fund\" value=\"\(visit.fund)\""))
        let answer = try await visit.json("message-\(forged)=1&fund=\(visit.fund)")
        #expect((answer["refused"] as? [[String: Any]])?.first?["asks"] as? Bool == true)
        let tagged = try await visit.desk.keep("t", .unknownFund, from: ann.email, of: ann, tag: "Brand new")
        #expect(try await visit.get("/desk/messages/\(tagged)").contains("name=\"kind\" value=\"create\""))
        _ = try await visit.act("message-\(tagged)=1&kind=create")
        let funds = try await visit.harness.store.administration.funds().map(\.fund)
        #expect(funds.contains { $0.name == "Brand new" && $0.owner == ann.id })
        try await visit.harness.stop()
    }

    /// A sender is registered for the owner of an offered fund, or for the one whose address is typed.
    @Test
    func putsACauseRight() async throws {
        let visit = try await DeskVisit()
        let ann = visit.harness.people.ann
        let id = try await visit.desk.keep("x", .unknownSender, from: "x@example.com", tag: "Fund1")
        let page = try await visit.get("/desk/messages/\(id)")
        #expect(page.contains("name=\"register\" value=\"\(ann.id)\"") && page.contains("name=\"person\""))
        let unknown = try await visit.act("message-\(id)=1&register=&person=none%40example.com", 400)
        #expect(unknown.text.contains("No registered person has this address."))
        let filed = try await visit.act(
            "message-\(id)=1&register=&person=\(PercentCoding.encoded(ann.email) { ASCII.isAlphanumeric($0) })")
        let done = try await visit.get(try #require(filed["location"]))
        #expect(
            done.contains("\u{2068}x@example.com\u{2069} registered for \u{2068}\(ann.email)\u{2069}: 1 message filed.")
        )
        #expect(done.contains("/desk/rehearsal"))
        let json = try await visit.json("", at: "/desk/acts/1/undo")
        #expect(json["refused"] as? [String] == [])
        try await visit.harness.stop()
    }

    /// Found by a part of its name or of its owner's.
    @Test
    func choosesAnyFund() async throws {
        let visit = try await DeskVisit()
        let id = try await visit.desk.keep("a")
        let other = visit.harness.people.otherFund.id
        for (words, isFound) in [("oth", true), ("BEA", true), ("bea other", true), ("ann", false), ("zzz", false)] {
            let form = "message-\(id)=1&q=\(words.replacing(" ", with: "+"))"
            let page = try await visit.act(form, 200, at: "/desk/choose")
            #expect(page.text.contains("name=\"fund\" value=\"\(other)\"") == isFound, "\(words)")
            #expect(page.text.contains("name=\"message-\(id)\""))
        }
        try await visit.harness.stop()
    }

    /// Lists by words and reason, what was put off, and what comes of it.
    @Test
    func filtersAndPutsOff() async throws {
        let visit = try await DeskVisit()
        let (quarter, loop) = (
            try await visit.desk.keep("Quarter 100%"),
            try await visit.desk.keep("Away", .autoReply, from: "bot@x.example")
        )
        func lists(_ path: String, _ id: Int64) async throws -> Bool {
            try await visit.get(path).contains("data-id=\"\(id)\"")
        }
        for (path, isListed) in [
            ("/desk?q=QUARTER", true), ("/desk?q=100%25", true), ("/desk?q=1_0", false), ("/desk?reason=no_tag", true),
            ("/desk?reason=loop", false), ("/desk?mailbox=none", false), ("/desk/later", false),
        ] {
            #expect(try await lists(path, quarter) == isListed, "\(path)")
        }
        #expect(try await lists("/desk?reason=auto_reply", loop))
        _ = try await visit.get("/desk?reason=explode", 400)
        _ = try await visit.act("message-\(quarter)=1&kind=later&days=3")
        #expect(try await !lists("/desk", quarter))
        #expect(try await lists("/desk/later", quarter))
        _ = try await visit.act("message-\(quarter)=1&kind=show")
        #expect(try await lists("/desk", quarter))
        try await visit.harness.stop()
    }

    /// Who opens a message is in the audit trail, and others see that it is read.
    @Test
    func showsWhoReads() async throws {
        let visit = try await DeskVisit()
        let id = try await visit.desk.keep("a")
        let bo = try await visit.another("Bo")
        #expect(try await bo.get("/desk/messages/\(id)", visit.harness).status == 200)
        let page = try await visit.get("/desk/messages/\(id)")
        #expect(page.contains("\u{2068}Bo\u{2069} is reading this."))
        let audit = try await visit.harness.store.administration.audit(AuditFilter(), PageQuery(limit: 1)).items
        #expect(audit.first?.action == "misroute.open" && audit.first?.actor == "root@example.com")
        _ = try await bo.get("/desk/messages/\(id)/raw", visit.harness)
        let raw = try await visit.harness.store.administration.audit(AuditFilter(), PageQuery(limit: 1)).items
        #expect(raw.first?.action == "misroute.open" && raw.first?.actor == "bo@example.com")
        try await visit.harness.stop()
    }

    /// One reads one message at a time, and without a page that listens not for long.
    @Test
    func forgetsWhoReads() async throws {
        let harness = try await ServerHarness()
        let (library, people, now) = (harness.store.library, harness.people, ContinuousClock.now)
        let notifier = DeskNotifier(desk: harness.store.administration, commits: library.commits)
        notifier.noteOpened(1, by: people.root, at: now)
        notifier.noteOpened(2, by: people.root, at: now)
        #expect(notifier.readers(at: now).map(\.message) == [2] && notifier.isReading(2, people.root.id))
        let permit = try #require(notifier.permit(for: people.root.id))
        try await notifier.subscribing(with: permit) { _ in
            #expect(notifier.readers(at: now + DeskNotifier.readingTime).count == 1)
            #expect(notifier.readers(at: now + DeskNotifier.longestReading).isEmpty)
            notifier.noteOpened(3, by: people.root, at: now)
        }
        // The last page of the desk was closed.
        #expect(notifier.readers(at: now).isEmpty)
        notifier.noteOpened(4, by: people.root, at: now)
        #expect(notifier.readers(at: now + DeskNotifier.readingTime).isEmpty)
        try await harness.stop()
    }

    /// A stream says how things are, and again when that changes; it ends with the role.
    @Test
    func streamsWhatHappens() async throws {
        let visit = try await DeskVisit()
        let stream = try RawHTTPConnection(port: visit.harness.port)
        await stream.send(
            """
            GET /desk/events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nCookie: \(visit.root.cookie)\r\n\r\n
            """)
        let before = try await visit.waiting()
        #expect(await stream.text(until: "\"readers\":[]").contains("\"open\":\(before)"))
        let id = try await visit.desk.keep("a")
        #expect(await stream.text(until: "\"open\":\(before + 1)").contains("event: desk"))
        let bo = try await visit.another("Bo")
        _ = try await bo.get("/desk/messages/\(id)", visit.harness)
        #expect(await stream.text(until: "\"Bo\"").contains("{\"message\":\(id),\"name\":\"Bo\"}"))
        let row = UserImportRow(email: "root@example.com", isAdministrator: false)
        _ = try await visit.harness.store.administration.importUsers([row], actor: "test")
        _ = try await visit.desk.keep("b")
        // The last chunk (RFC 9112 §7.1): nothing more is told.
        let rest = await stream.text(until: "0\r\n\r\n")
        #expect(rest.hasSuffix("0\r\n\r\n") && !rest.contains("\"open\":\(before + 2)"))
        try await visit.harness.stop()
    }

    private static let hostile = [
        #"<img src=x onerror=alert(1)>"#, "{{csrf}}{{#user}}x{{/user}}", "gpj\u{202E}.exe",
        "</title><script>alert(1)</script>",
        "\"\u{0301} autofocus onfocus=\"\u{0301}alert(1)", "\u{2069}\u{202E}evil",
    ]

    /// In every list and pane.
    @Test(arguments: hostile)
    func everythingHostileIsText(text: String) async throws {
        let visit = try await DeskVisit()
        let ann = visit.harness.people.ann
        let id = try await visit.desk.keep(text, .unknownFund, from: text, of: ann, tag: text)
        let escaped = String(decoding: text.escapedMarkup, as: UTF8.self)
        for path in ["/desk", "/desk/messages/\(id)", "/desk/causes/\(id)", "/desk/digest"] {
            let page = try await visit.get(path)
            #expect(page.utf8.firstRange(of: escaped.utf8) != nil, "\(path)")
            if escaped != text { #expect(page.utf8.firstRange(of: text.utf8) == nil, "\(path)") }
        }
        try await visit.harness.stop()
    }
}
