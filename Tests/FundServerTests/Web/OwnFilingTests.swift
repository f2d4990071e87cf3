import Foundation
import FundCore
import FundStore
import Ingest
import TestSupport
import Testing

@testable import FundServer

/// Senders say which of their funds they meant, by the web API and on “My mail”.
struct OwnFilingTests {
    private typealias Desk = DeskAPITests.Desk

    private func received(_ desk: Desk, of user: User) async throws -> [ReceivedMail] {
        try await desk.harness.store.library.received(of: user.id, PageQuery()).items
    }

    @Test
    func filesByTheWebAPI() async throws {
        let desk = try await Desk()
        let people = desk.harness.people
        let (ann, bea) = (try await desk.harness.token(of: people.ann), try await desk.harness.token(of: people.bea))
        let subject = "[Fnud1] report"
        _ = try await desk.keep("report", .unknownFund, from: people.ann.email, of: people.ann, tag: "Fnud1")
        let id = try #require(try await received(desk, of: people.ann).first { $0.subject == subject }).id
        let path = "/api/v1/received/\(id)/file"
        let order = #"{"fund":\#(people.fund.id)}"#
        let foreign = #"{"fund":\#(people.otherFund.id)}"#
        #expect(try await desk.harness.send("POST", path, token: bea, json: foreign).status == 404)
        #expect(try await desk.harness.send("POST", path, token: ann, json: foreign).status == 404)
        #expect(try await desk.harness.send("POST", path, token: desk.root, json: order).status == 404)
        let filed = try Desk.json(try await desk.harness.send("POST", path, token: ann, json: order))
        #expect(filed["outcome"] as? String == "filed" && filed["fund_name"] as? String == "Fund1")
        #expect(filed["resolved_by"] as? String == people.ann.email && filed["can_file"] as? Bool == false)
        #expect(try await desk.harness.send("POST", path, token: ann, json: order).status == 409)
        // Nothing was learnt; an administrator sees it among the acts, and undoes it.
        #expect(try await desk.harness.store.administration.fund(people.fund.id).fund.aliases.isEmpty)
        let acts = try #require(try await desk.get("desk/acts")["acts"] as? [[String: Any]])
        #expect(acts.count == 1 && acts[0]["actor"] as? String == people.ann.email)
        _ = try await desk.post("desk/acts/\(try #require(acts[0]["id"] as? Int64))/undo")
        let again = try #require(try await received(desk, of: people.ann).first { $0.id == id })
        #expect(again.isForSender && again.takenBack?.by == "root@example.com")
        try await desk.harness.stop()
    }

    /// Mail that may be forged waits for an administrator, also where its sender asks.
    @Test
    func filesNothingThatMayBeForged() async throws {
        let desk = try await Desk()
        let (people, store) = (desk.harness.people, desk.harness.store)
        let ann = try await desk.harness.token(of: people.ann)
        let ids = [
            try await desk.keep("a", .unverifiedSender, from: people.ann.email, of: people.ann),
            try await desk.keep("b", .noTag, from: people.ann.email, of: people.ann, isUnverified: true),
            try await desk.keep("c", .ambiguousSubject, from: people.ann.email, of: people.ann),
        ]
        let refiling = RefilingService(
            mail: store.mail, parser: SampleParser(), limits: { ParseLimits() },
            policy: { _, trust in RoutingPolicy(trust: trust) })
        let service = DeskService(refiling: refiling, store: store.administration)
        let before = try await store.administration.countMisroutes(MisrouteFilter())
        for mail in try await received(desk, of: people.ann) where mail.outcome == .misrouted {
            guard !mail.isForSender else { continue }
            let answer = try await desk.harness.send(
                "POST", "/api/v1/received/\(mail.id)/file", token: ann, json: #"{"fund":\#(people.fund.id)}"#)
            #expect(answer.status == 409, "\(answer.text)")
        }
        for id in ids {
            await #expect(throws: StoreError.self) {
                _ = try await service.fileOwn(MisrouteRecord.ID(id), into: people.fund.id, of: people.ann)
            }
        }
        #expect(try await store.administration.countMisroutes(MisrouteFilter()) == before)
        try await desk.harness.stop()
    }

    /// Mail from an address that was theirs is not theirs any more: it may be another person's.
    @Test
    func filesNothingFromAnAddressThatWasTakenAway() async throws {
        let desk = try await Desk()
        let (people, store) = (desk.harness.people, desk.harness.store)
        let ann = try await desk.harness.token(of: people.ann)
        try await store.administration.addAddress("z@example.com", to: people.ann.id, actor: "test")
        _ = try await desk.keep("contract", .unknownFund, from: "z@example.com", of: people.ann, tag: "Typo")
        let before = try #require(try await received(desk, of: people.ann).first { $0.subject == "[Typo] contract" })
        #expect(before.isForSender)
        let change = #"{"removed_address":"z@example.com"}"#
        let removed = try await desk.harness.send(
            "PATCH", "/api/v1/admin/users/\(people.ann.id)", token: desk.root, json: change)
        #expect(removed.status == 200, "\(removed.text)")
        let after = try #require(try await received(desk, of: people.ann).first { $0.id == before.id })
        #expect(!after.isForSender)
        let answer = try await desk.harness.send(
            "POST", "/api/v1/received/\(before.id)/file", token: ann, json: #"{"fund":\#(people.fund.id)}"#)
        #expect(answer.status == 409, "\(answer.text)")
        let message = try await store.library.receivedMail(before.id, of: people.ann.id).message
        let refiling = RefilingService(
            mail: store.mail, parser: SampleParser(), limits: { ParseLimits() },
            policy: { _, trust in RoutingPolicy(trust: trust) })
        let service = DeskService(refiling: refiling, store: store.administration)
        await #expect(throws: StoreError.self) {
            _ = try await service.fileOwn(message, into: people.fund.id, of: people.ann)
        }
        try await desk.harness.stop()
    }

    /// One step from the list, by links and forms alone.
    @Test
    func filesOnMyMail() async throws {
        let desk = try await Desk()
        let people = desk.harness.people
        let ann = try await BrowserSession(people.ann, desk.harness)
        let subject = "[Fnud1] report"
        let kept = try await desk.keep("report", .unknownFund, from: people.ann.email, of: people.ann, tag: "Fnud1")
        _ = try await desk.keep("forged", .unverifiedSender, from: people.ann.email, of: people.ann)
        let id = try #require(try await received(desk, of: people.ann).first { $0.subject == subject }).id
        let page = try await ann.get("/library/sent", desk.harness)
        #expect(page.text.contains("action=\"/library/sent/\(id)/file\"") && page.text.contains("I meant"))
        #expect(page.text.contains("name=\"fund\" value=\"\(people.fund.id)\""))
        #expect(!page.text.contains("name=\"fund\" value=\"\(people.otherFund.id)\"") && !page.text.contains("forged"))
        let choice = try await ann.get("/library/sent/\(id)", desk.harness)
        #expect(choice.status == 200 && choice.text.contains("name=\"fund\" value=\"\(people.fund.id)\""))
        let filed = try await ann.post("/library/sent/\(id)/file", "fund=\(people.fund.id)", desk.harness)
        #expect(filed.status == 303 && filed["location"] == "/library/sent?done=own-filed")
        let after = try await ann.get("/library/sent?done=own-filed", desk.harness)
        #expect(after.text.contains("you filed it") && !after.text.contains("/library/sent/\(id)/file"))
        // Taken back: it says by whom, in the list and in the trash.
        let root = try await BrowserSession(people.root, desk.harness)
        let act = try #require(try await desk.harness.store.administration.lastAct(about: MisrouteRecord.ID(kept)))
        #expect(try await root.post("/desk/acts/\(act)/undo", "back=/desk", desk.harness).status == 303)
        let undone = try await ann.get("/library/sent", desk.harness)
        #expect(undone.text.contains("root@example.com took it back out of its fund"))
        #expect(undone.text.contains("action=\"/library/sent/\(id)/file\""))
        try await desk.harness.stop()
    }
}
