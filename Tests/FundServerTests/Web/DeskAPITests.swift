internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// The misrouted desk by the web API.
struct DeskAPITests {
    /// Kept mail, and an administrator who asks about it.
    struct Desk {
        let harness: ServerHarness
        let root: String

        init() async throws {
            harness = try await ServerHarness()
            root = try await harness.token(of: harness.people.root)
        }

        func get(_ path: String) async throws -> [String: Any] {
            try Self.json(try await harness.send("GET", "/api/v1/admin/" + path, token: root))
        }

        func post(_ path: String, _ body: String = "{}", status: Int = 200) async throws -> [String: Any] {
            let answer = try await harness.send("POST", "/api/v1/admin/" + path, token: root, json: body)
            #expect(answer.status == status, "\(answer.text)")
            return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        }

        static func json(_ answer: RawHTTPResponse) throws -> [String: Any] {
            #expect(answer.status == 200, "\(answer.text)")
            return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        }

        /// Mail of Ann that has no tag.
        func keep(_ text: String) async throws -> Int64 {
            let stored = try await TestPeople.file(text, [], in: nil, of: harness.people.ann, harness.store)
            return try #require(stored.misrouteID).rawValue
        }

        /// Mail as routing keeps it.
        func keep(
            _ text: String, _ reason: Reason, from sender: String, of user: User? = nil, tag: String? = nil,
            isUnverified: Bool = false, relay: RelayedMail? = nil
        ) async throws -> Int64 {
            let mail = harness.store.mail
            var writer = mail.spool.makeWriter()
            let subject = (tag.map { "[\($0)] " } ?? "") + text
            let raw = "From: \(sender)\r\nSubject: \(subject)\r\n\r\n\(text)\r\n"
            try Array(raw.utf8).withUnsafeBytes { try writer.append($0) }
            var header = MessageHeader()
            header.subjects = [subject]
            header.from = [AddressField(addresses: [NamedAddress(address: sender)])]
            var decision = RoutingDecision(outcome: reason.outcome, reason: reason)
            (decision.user, decision.tag, decision.isUnverified) = (user, tag, isUnverified)
            decision.relay = relay
            let message = RoutedMessage(
                reference: SourceReference(place: text), spooled: writer.finish(),
                parsed: .message(ParsedMessage(header: header, text: text, attachments: [])), decision: decision,
                policy: RoutingPolicy(trust: .vouched))
            let stored = try await mail.commit([try mail.stage(message) { _, _ in }])[0]
            return try #require(stored.misrouteID).rawValue
        }

        /// Rules that were learnt, and the count of those that were not.
        func assign(_ id: Int64, _ more: String = "") async throws -> (learnt: [String], refused: Int) {
            let fund = harness.people.fund.id
            let report = try await post(
                "desk/acts", #"{"kind":"assign","messages":[\#(id)],"fund":\#(fund),"remember":true\#(more)}"#)
            let refused = try #require(report["not_learnt"] as? [[String: Any]])
            return (try #require(report["learnt"] as? [String]), refused.count)
        }

        func outcomes(_ report: [String: Any]) throws -> [String] {
            try #require(report["results"] as? [[String: Any]]).map { "\($0["message"] ?? "") \($0["outcome"] ?? "")" }
        }
    }

    @Test
    func filesManyAndUndoesThem() async throws {
        let desk = try await Desk()
        let fund = desk.harness.people.fund.id
        let first = try await desk.keep("a")
        let second = try await desk.keep("b")
        let before = try await desk.get("desk")
        let report = try await desk.post(
            "desk/acts", #"{"kind":"assign","messages":[\#(first),999,\#(second)],"fund":\#(fund)}"#)
        #expect(try desk.outcomes(report) == ["\(first) filed", "999 refused", "\(second) filed"])
        let refused = try #require((report["results"] as? [[String: Any]])?[1])
        #expect(refused["error"] as? String == "not-found")
        let act = try #require(report["act"] as? Int64)
        let done = try await desk.get("desk/acts/\(act)")
        #expect(done["count"] as? Int == 2 && done["standing"] as? Int == 2)
        #expect(done["actor"] as? String == "root@example.com")
        #expect(try await desk.get("desk")["filed_by_hand"] as? Int == 2)
        // Another administrator comes too late.
        let late = try await desk.post("misrouted/\(first)/assign", #"{"fund":\#(fund)}"#, status: 409)
        let words = "root@example.com filed it into [Fund1] of ann@example.com"
        #expect((late["detail"] as? String)?.hasPrefix(words) == true)
        let undone = try await desk.post("desk/acts/\(act)/undo")
        #expect(try desk.outcomes(undone) == ["\(second) done", "\(first) done"])
        let again = try await desk.post("desk/acts/\(act)/undo", status: 409)
        #expect(again["detail"] as? String == "root@example.com undid it before")
        #expect(try await desk.get("desk")["waiting"] as? Int == before["waiting"] as? Int)
        let acts = try #require(try await desk.get("desk/acts")["acts"] as? [[String: Any]])
        #expect(acts.count == 1 && acts[0]["undone_by"] as? String == "root@example.com")
        let audit = try await desk.harness.store.administration.audit(AuditFilter(), PageQuery(limit: 2)).items
        #expect(audit.allSatisfy { $0.action == "misroute.undo" && $0.actor == "root@example.com" })
        try await desk.harness.stop()
    }

    @Test
    func actsOnACause() async throws {
        let desk = try await Desk()
        let first = try await desk.keep("a")
        let second = try await desk.keep("b")
        _ = try await desk.keep("c")
        let causes = try #require(try await desk.get("desk/causes?attention=waiting")["causes"] as? [[String: Any]])
        #expect(causes.count == 1 && causes[0]["count"] as? Int == 4)  // one is there from the beginning
        let later = try await desk.post(
            "desk/acts", #"{"kind":"later","like":\#(first),"up_to":\#(second),"until":99999999999}"#)
        #expect(try desk.outcomes(later).count == 3 && later["left"] as? Int == 0)
        #expect(try await desk.get("desk")["later"] as? Int == 3)
        let put = try #require(try await desk.get("misrouted?attention=later")["messages"] as? [[String: Any]])
        #expect(put.count == 3 && put.allSatisfy { $0["put_off_until"] as? Int64 == 99_999_999_999 })
        for body in [
            "{}", #"{"kind":"later","messages":[1],"until":253402300800}"#, #"{"kind":"explode","messages":[1]}"#,
            #"{"kind":"retry"}"#, #"{"kind":"retry","messages":[]}"#,
            #"{"kind":"retry","messages":[1,1]}"#, #"{"kind":"retry","messages":[1],"like":1}"#,
            #"{"kind":"assign","messages":[1]}"#,
        ] {
            _ = try await desk.post("desk/acts", body, status: 400)
        }
        _ = try await desk.post("desk/acts", #"{"kind":"retry","like":999}"#, status: 404)
        try await desk.harness.stop()
    }

    /// Filing into a fund of another person asks once, and names both.
    @Test
    func asksBeforeAnotherPersonGetsMail() async throws {
        let desk = try await Desk()
        let beas = try await desk.harness.store.library.addFund("Beas", of: desk.harness.people.bea.id)
        let id = try await desk.keep("a")
        let path = "misrouted/\(id)/assign"
        let asked = try await desk.post(path, #"{"fund":\#(beas.id)}"#, status: 409)
        #expect((asked["type"] as? String)?.hasSuffix("needs-confirmation") == true)
        let detail = try #require(asked["detail"] as? String)
        #expect(detail.contains("ann@example.com") && detail.contains("[Beas] is a fund of bea@example.com"))
        let many = try await desk.post("desk/acts", #"{"kind":"assign","messages":[\#(id)],"fund":\#(beas.id)}"#)
        #expect(try desk.outcomes(many) == ["\(id) refused"] && many["act"] is NSNull)
        let filed = try await desk.post(path, #"{"fund":\#(beas.id),"confirm_owner":true}"#)
        #expect(filed["outcome"] as? String == "filed" && filed["act"] is Int64)
        try await desk.harness.stop()
    }

    /// Nothing is remembered of a sender who may be another, but an address that the administrator names once more.
    @Test
    func remembersOnlyWhatIsConfirmed() async throws {
        let desk = try await Desk()
        let ann = desk.harness.people.ann
        let forged = try await desk.keep("1", .unknownSender, from: "new@x.example", isUnverified: true)
        let genuine = #","confirm_unverified":true"#
        #expect(try await desk.assign(forged, genuine) == ([], 1))
        let other = try await desk.keep("2", .unknownSender, from: "new@x.example", isUnverified: true)
        #expect(try await desk.assign(other, genuine + #","confirm_address":"other@x.example""#) == ([], 1))
        let named = try await desk.keep("3", .unknownSender, from: "new@x.example", isUnverified: true)
        #expect(
            try await desk.assign(named, genuine + #","confirm_address":"New@X.example""#) == (["new@x.example"], 0))
        let passed = try await desk.keep("4", .unknownSender, from: "passed@x.example")
        #expect(try await desk.assign(passed) == (["passed@x.example"], 0))
        for (text, reason) in [("5", Reason.unverifiedSender), ("6", .ambiguousSender), ("7", .noTag)] {
            let id = try await desk.keep(text, reason, from: "z@x.example", of: reason == .ambiguousSender ? nil : ann)
            #expect(try await desk.assign(id, genuine + #","confirm_address":"z@x.example""#) == ([], 1))
        }
        let tagged = try await desk.keep("8", .unknownFund, from: ann.email, of: ann, tag: "Fnud")
        #expect(try await desk.assign(tagged) == (["Fnud"], 0))
        // Another person's address is not taken away.
        let beas = try await desk.keep("9", .unknownSender, from: desk.harness.people.bea.email)
        #expect(try await desk.assign(beas) == ([], 1))
        let learnt = try #require(try await desk.get("desk/learnt")["learnt"] as? [[String: Any]])
        #expect(learnt.compactMap { $0["name"] as? String } == ["Fnud", "passed@x.example", "new@x.example"])
        let gone = try await desk.harness.send(
            "DELETE", "/api/v1/admin/desk/learnt/\(learnt[1]["id"] ?? 0)", token: desk.root)
        #expect(gone.status == 204)
        let addresses = try await desk.harness.store.administration.user(ann.id).addresses
        #expect(addresses.contains("new@x.example") && !addresses.contains("passed@x.example"))
        try await desk.harness.stop()
    }

    /// One confirmation is for messages that are named: those of a cause were not looked at one by one.
    @Test
    func filesNoCauseOfForgedMailByOneWord() async throws {
        let desk = try await Desk()
        let (ann, fund) = (desk.harness.people.ann, desk.harness.people.fund.id)
        let first = try await desk.keep("1", .unverifiedSender, from: ann.email, of: ann)
        let second = try await desk.keep("2", .unverifiedSender, from: ann.email, of: ann)
        let word = #""kind":"assign","fund":\#(fund),"confirm_unverified":true"#
        let cause = try await desk.post("desk/acts", #"{\#(word),"like":\#(first)}"#)
        #expect(try desk.outcomes(cause) == ["\(first) refused", "\(second) refused"] && cause["act"] is NSNull)
        let named = try await desk.post("desk/acts", #"{\#(word),"messages":[\#(first)]}"#)
        #expect(try desk.outcomes(named) == ["\(first) filed"])
        try await desk.harness.stop()
    }

    /// An act that was refused leaves nothing behind.
    @Test
    func leavesNoActThatCameToNothing() async throws {
        let desk = try await Desk()
        let ann = desk.harness.people.ann
        let id = try await desk.keep("1", .unverifiedSender, from: ann.email, of: ann)
        let order = #"{"kind":"assign","fund":\#(desk.harness.people.fund.id),"messages":[\#(id)]}"#
        _ = try await desk.post("desk/acts", order)
        let genuine = order.replacing("}", with: #","confirm_unverified":true}"#)
        let filed = try #require(try await desk.post("desk/acts", genuine)["act"] as? Int64)
        await #expect(throws: StoreError.self) {
            try await desk.harness.store.administration.act(DeskAct.ID(filed - 1))
        }
        // The number of one that was discarded comes back nowhere, and one with a step stays.
        try await desk.harness.store.administration.discard(DeskAct.ID(filed))
        #expect(try await desk.harness.store.administration.act(DeskAct.ID(filed)).canUndo)
        try await desk.harness.stop()
    }

    /// A cause that was shown and is another by now is not acted on.
    @Test
    func actsOnTheCauseThatWasShown() async throws {
        let desk = try await Desk()
        let id = try await desk.keep("a")
        let causes = try #require(try await desk.get("desk/causes")["causes"] as? [[String: Any]])
        let cause = try #require(causes.first?["cause"] as? String)
        let order = #"{"kind":"reject","like":\#(id),"cause":"\#(cause)"}"#
        try await desk.harness.store.mail.updateRouting(
            MisrouteRecord.ID(id), decision: RoutingDecision(outcome: .misrouted, reason: .unknownSender))
        _ = try await desk.post("desk/acts", order, status: 409)
        let rehearsal = try await desk.get("desk/rehearsal")
        #expect((rehearsal["messages"] as? [Any])?.isEmpty == true && rehearsal["left"] as? Int == 0)
        try await desk.harness.stop()
    }

    @Test
    func showsWhatIsInAMessageAndWhereItMayBelong() async throws {
        let desk = try await Desk()
        let id = desk.harness.people.misrouted
        let seen = try await desk.get("misrouted/\(id)/content")
        let offers = try #require(seen["offers"] as? [[String: Any]])
        #expect(offers.first?["fund_name"] as? String == "Fund1", "\(seen)")
        #expect(offers.first?["owner_email"] as? String == "ann@example.com")
        let kinds = try #require(offers.first?["evidence"] as? [[String: Any]]).compactMap { $0["kind"] as? String }
        #expect(kinds.contains("earlier_mails"), "\(kinds)")
        let decision = try #require(seen["decision"] as? [String: Any])
        #expect((decision["steps"] as? [[String: Any]])?.last?["about"] as? String == "outcome")
        let entry = try #require(
            try await desk.harness.store.administration.audit(AuditFilter(), PageQuery(limit: 1)).items.first)
        #expect(entry.action == "misroute.open" && entry.actor == "root@example.com")
        #expect(entry.subject == "misrouted \(id)")
        try await desk.harness.stop()
    }
}
