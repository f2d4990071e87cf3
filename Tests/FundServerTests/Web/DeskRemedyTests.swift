internal import Foundation
import FundCore
import FundStore
import Testing

@testable import FundServer

/// Causes of kept mail that are put right once, by the web API: all of it is one act.
struct DeskRemedyTests {
    private typealias Desk = DeskAPITests.Desk

    /// Numbers of the messages, with what became of each.
    private func cure(_ desk: Desk, _ order: String, of first: Int64) async throws -> (act: Int64, outcomes: [String]) {
        let report = try await desk.post("desk/acts", #"{"like":\#(first),\#(order)}"#)
        return (try #require(report["act"] as? Int64), try desk.outcomes(report))
    }

    /// A new address of Ann's: each of its mails finds its own fund, and one undo takes all of it back.
    @Test
    func registersASender() async throws {
        let desk = try await Desk()
        let (store, ann) = (desk.harness.store, desk.harness.people.ann)
        let other = try await store.administration.addFund(name: "Other", owner: ann.id, aliases: [], actor: "test")
        var ids: [Int64] = []
        for tag in ["Fund1", "Other", "Nowhere"] {
            ids.append(try await desk.keep("about \(tag)", .unknownSender, from: "home@ann.example", tag: tag))
        }
        let (act, outcomes) = try await cure(desk, #""kind":"register","user":\#(ann.id)"#, of: ids[0])
        #expect(outcomes == ["\(ids[0]) filed", "\(ids[1]) filed", "\(ids[2]) kept"])
        let done = try await desk.get("desk/acts/\(act)")
        #expect(done["kind"] as? String == "register" && done["owner_email"] as? String == ann.email)
        #expect(done["learnt"] as? [String] == ["home@ann.example"] && done["count"] as? Int == 2)
        #expect(try await store.administration.fund(other.id).emailCount == 1)
        #expect(try await store.administration.user(ann.id).addresses.contains("home@ann.example"))
        let undone = try await desk.post("desk/acts/\(act)/undo")
        #expect(try desk.outcomes(undone) == ["\(ids[1]) done", "\(ids[0]) done"])
        #expect(try await store.administration.fund(other.id).emailCount == 0)
        #expect(try await !store.administration.user(ann.id).addresses.contains("home@ann.example"))
        #expect(try await desk.get("desk/acts/\(act)")["standing"] as? Int == 0)
        // A message that waits all the same is the stranger's again.
        let kept = try await store.administration.misroute(MisrouteRecord.ID(ids[2]))
        #expect(kept.reason == .unknownSender && kept.user == nil)
        try await desk.harness.stop()
    }

    /// An address that may be forged is registered only when it is named once more.
    @Test
    func registersNoUnprovenSender() async throws {
        let desk = try await Desk()
        let ann = desk.harness.people.ann
        let id = try await desk.keep("a", .unknownSender, from: "x@ann.example", tag: "Fund1", isUnverified: true)
        let order = #"{"kind":"register","messages":[\#(id)],"user":\#(ann.id)"#
        for more in ["}", #","confirm_address":"y@ann.example"}"#] {
            let report = try await desk.post("desk/acts", order + more)
            #expect(try desk.outcomes(report) == ["\(id) refused"] && report["act"] is NSNull)
        }
        #expect(try await desk.harness.store.administration.user(ann.id).addresses == [ann.email])
        let report = try await desk.post("desk/acts", order + #","confirm_address":"X@ann.example"}"#)
        #expect(try desk.outcomes(report) == ["\(id) filed"])
        try await desk.harness.stop()
    }

    /// Mail of many people comes from such an address: no act makes it one person's.
    @Test
    func registersNoAddressOfMany() async throws {
        let desk = try await Desk()
        let (people, store) = (desk.harness.people, desk.harness.store)
        let relay = RelayedMail(kind: .group, author: people.ann.email)
        let ids = [
            try await desk.keep("a", .unknownSender, from: "all@g.example", tag: "Fund1", relay: relay),
            try await desk.keep("b", .unknownSender, from: "all@g.example", relay: RelayedMail(kind: .group)),
        ]
        let shown = try await desk.get("misrouted/\(ids[0])")
        #expect(shown["relay"] as? String == "group" && shown["author"] as? String == people.ann.email)
        let order = #"{"kind":"register","messages":[\#(ids[0])],"user":\#(people.ann.id)"#
        for more in ["}", #","confirm_address":"all@g.example"}"#] {
            #expect(try desk.outcomes(try await desk.post("desk/acts", order + more)) == ["\(ids[0]) refused"])
        }
        // Its author's fund is offered, and it is filed once: the next waits again.
        let opened = try await desk.get("misrouted/\(ids[0])/content")
        let offers = try #require(opened["offers"] as? [[String: Any]])
        #expect(offers.first?["fund"] as? Int64 == people.fund.id.rawValue)
        let (learnt, refused) = try await desk.assign(ids[0])
        #expect(learnt == [] && refused == 1)
        #expect(try await store.administration.user(people.ann.id).addresses == [people.ann.email])
        // Another author's is another cause.
        let causes = try #require(try await desk.get("desk/causes")["causes"] as? [[String: Any]])
        let senders = causes.compactMap { ($0["first"] as? [String: Any])?["sender"] as? String }
        #expect(senders.count { $0 == "all@g.example" } == 1)
        try await desk.harness.stop()
    }

    /// Filing what may be forged takes a second word, whichever route is taken, and proves nothing about its sender.
    @Test(arguments: [Reason.unverifiedSender, .unknownSender, .tooLarge])
    func filesNothingDoubtfulByItself(_ reason: Reason) async throws {
        let desk = try await Desk()
        let people = desk.harness.people
        let (fund, isKnown) = (people.fund.id, reason == .unverifiedSender)
        func keep(_ text: String, isUnverified: Bool) async throws -> Int64 {
            try await desk.keep(
                text, reason, from: people.ann.email, of: isKnown ? people.ann : nil, isUnverified: isUnverified)
        }
        let id = try await keep("a", isUnverified: !isKnown)
        let refused = try await desk.post("misrouted/\(id)/assign", #"{"fund":\#(fund)}"#, status: 409)
        #expect(refused["type"] as? String == "needs-confirmation" || "\(refused)".contains("needs-confirmation"))
        #expect("\(refused)".contains("forged"))
        let acts = #"{"kind":"assign","messages":[\#(id)],"fund":\#(fund)"#
        #expect(
            try desk.outcomes(try await desk.post("desk/acts", acts + #","confirm_owner":true}"#)) == ["\(id) refused"])
        _ = try await desk.post("misrouted/\(id)/assign", #"{"fund":\#(fund),"confirm_unverified":true}"#)
        let evidence = try await desk.harness.store.administration.evidence(
            EvidenceQuestion(sender: people.ann.email, user: nil, references: []))
        // Nothing but what was filed by the rules before.
        #expect(evidence.mailsBySender == [fund: 1])
        let second = try await keep("b", isUnverified: !isKnown)
        let confirmed = acts.replacing("[\(id)]", with: "[\(second)]") + #","confirm_unverified":true}"#
        #expect(try desk.outcomes(try await desk.post("desk/acts", confirmed)) == ["\(second) filed"])
        try await desk.harness.stop()
    }

    /// The address of another user stays theirs, and messages of other causes are not touched.
    @Test
    func refusesWhatIsNoRemedy() async throws {
        let desk = try await Desk()
        let people = desk.harness.people
        let ids = [
            try await desk.keep("a", .unknownSender, from: people.bea.email, tag: "Fund1"),
            try await desk.keep("b", .unknownSender, from: "b@x.example", tag: "Fund1"),
            try await desk.keep("c", .noTag, from: people.ann.email, of: people.ann),
        ]
        func outcomes(_ order: String) async throws -> [String] {
            try desk.outcomes(try await desk.post("desk/acts", order))
        }
        let register = #""kind":"register","user":\#(people.ann.id)"#
        #expect(try await outcomes(#"{\#(register),"messages":[\#(ids[0])]}"#) == ["\(ids[0]) refused"])
        let mixed = try await outcomes(#"{\#(register),"messages":[\#(ids[1]),\#(ids[2])]}"#)
        #expect(mixed == ["\(ids[1]) filed", "\(ids[2]) refused"])
        for kind in ["create", "enable"] {
            #expect(try await outcomes(#"{"kind":"\#(kind)","messages":[\#(ids[2])]}"#) == ["\(ids[2]) refused"])
        }
        _ = try await desk.post("desk/acts", #"{"kind":"register","messages":[\#(ids[2])]}"#, status: 400)
        try await desk.harness.stop()
    }

    /// A fund that was made of a tag goes with the act, to its owner's trash, unless something is in it by then.
    @Test
    func takesAMadeFundBack() async throws {
        let desk = try await Desk()
        let (store, ann) = (desk.harness.store, desk.harness.people.ann)
        func funds() async throws -> [Fund] {
            try await store.administration.funds(FundFilter(owner: ann.id, words: "Brand new"), PageQuery()).items
                .map(\.fund)
        }
        func keep(_ text: String) async throws -> Int64 {
            try await desk.keep(text, .unknownFund, from: ann.email, of: ann, tag: "Brand new")
        }
        let first = try await keep("a")
        let second = try await keep("b")
        let (act, outcomes) = try await cure(desk, #""kind":"create""#, of: first)
        #expect(outcomes == ["\(first) filed", "\(second) filed"])
        let done = try await desk.get("desk/acts/\(act)")
        #expect(done["fund_name"] as? String == "Brand new" && done["owner_email"] as? String == ann.email)
        #expect(try await funds().map(\.name) == ["Brand new"])
        _ = try await desk.post("desk/acts/\(act)/undo")
        #expect(try await funds().isEmpty)
        let trash = try await store.library.deletedItems(of: ann.id, by: TrashOrder(), PageQuery()).items
        #expect(trash.contains { $0.name == "Brand new" })
        #expect(try await desk.get("misrouted/\(first)")["resolution"] is NSNull)
        var deletions = AuditFilter()
        deletions.action = "fund.delete"
        let deletion = try await store.administration.audit(deletions, PageQuery()).items
        #expect(deletion.map(\.actor) == ["root@example.com"])
        // Again, and a note is written into it meanwhile.
        let (again, _) = try await cure(desk, #""kind":"create""#, of: first)
        let fund = try #require(try await funds().first)
        _ = try await store.library.addNote(NoteText(title: "mine", content: "x"), in: fund.id, of: ann.id)
        let undone = try await desk.post("desk/acts/\(again)/undo")
        #expect(try desk.outcomes(undone).filter { $0.hasSuffix("refused") } == ["\(first) refused"])
        #expect(try await funds() == [fund])
        // The fund is there: what waits for it goes into it, and that act makes none.
        let (third, more) = try await cure(desk, #""kind":"create""#, of: first)
        #expect(more == ["\(first) filed", "\(second) filed"])
        let last = try await desk.get("desk/acts/\(third)")
        #expect(last["fund_name"] as? String == "Brand new" && last["owner_email"] as? String == ann.email)
        _ = try await desk.post("desk/acts/\(third)/undo")
        #expect(try await funds() == [fund])
        try await desk.harness.stop()
    }

    /// A fund that its owner renamed is theirs.
    @Test
    func leavesARenamedFund() async throws {
        let desk = try await Desk()
        let (store, ann) = (desk.harness.store, desk.harness.people.ann)
        let id = try await desk.keep("a", .unknownFund, from: ann.email, of: ann, tag: "Brand new")
        let (act, _) = try await cure(desk, #""kind":"create""#, of: id)
        let funds = FundFilter(owner: ann.id, words: "Brand new")
        let fund = try #require(try await store.administration.funds(funds, PageQuery()).items.first).fund
        try await store.administration.renameFund(fund.id, to: "Mine", actor: "root@example.com")
        _ = try await desk.post("desk/acts/\(act)/undo")
        #expect(try await store.administration.fund(fund.id).fund.name == "Mine")
        try await desk.harness.stop()
    }

    /// The cause is that of the first message, also when nothing can be done about it.
    @Test
    func curesNoOtherCause() async throws {
        let desk = try await Desk()
        let ann = desk.harness.people.ann
        let unproven = try await desk.keep("a", .unknownSender, from: "a@x.example", tag: "Fund1", isUnverified: true)
        let other = try await desk.keep("b", .unknownSender, from: "b@x.example", tag: "Fund1")
        let report = try await desk.post(
            "desk/acts", #"{"kind":"register","messages":[\#(unproven),\#(other)],"user":\#(ann.id)}"#)
        #expect(try desk.outcomes(report) == ["\(unproven) refused", "\(other) refused"])
        #expect(try await desk.harness.store.administration.user(ann.id).addresses == [ann.email])
        // A message that was put aside is not taken up again by the way.
        let aside = try await desk.keep("c", .unknownSender, from: "b@x.example", tag: "Fund1")
        _ = try await desk.post("desk/acts", #"{"kind":"reject","messages":[\#(aside)]}"#)
        let last = try await desk.post(
            "desk/acts", #"{"kind":"register","messages":[\#(other),\#(aside)],"user":\#(ann.id)}"#)
        #expect(try desk.outcomes(last) == ["\(other) filed", "\(aside) refused"])
        // Nor when all of it is routed again; who names it and a fund means it.
        let retried = try await desk.post("desk/acts", #"{"kind":"retry","messages":[\#(aside)]}"#)
        #expect(try desk.outcomes(retried) == ["\(aside) refused"])
        let fund = desk.harness.people.fund.id
        let assigned = try await desk.post("desk/acts", #"{"kind":"assign","messages":[\#(aside)],"fund":\#(fund)}"#)
        #expect(try desk.outcomes(assigned) == ["\(aside) filed"])
        try await desk.harness.stop()
    }

    /// Kept mail of Ann, who is disabled.
    private func mailOfDisabledAnn(_ desk: Desk) async throws -> Int64 {
        let ann = desk.harness.people.ann
        try await desk.harness.store.administration.changeUser(
            ann.id, UserChange(isDisabled: true), if: nil, actor: "root@example.com")
        return try await desk.keep("a", .disabledSender, from: ann.email, of: ann, tag: "Fund1")
    }

    /// Who came in since they were enabled is not thrown out by an old act.
    @Test
    func leavesWhoCameIn() async throws {
        let desk = try await Desk()
        let (store, ann) = (desk.harness.store, desk.harness.people.ann)
        let id = try await mailOfDisabledAnn(desk)
        let (act, _) = try await cure(desk, #""kind":"enable","confirm_address":"\#(ann.email)""#, of: id)
        _ = try await desk.harness.token(of: ann)
        let undone = try await desk.post("desk/acts/\(act)/undo")
        #expect(try desk.outcomes(undone) == ["\(id) done", "\(id) refused"])
        #expect(try await !store.administration.user(ann.id).user.isDisabled)
        try await desk.harness.stop()
    }

    @Test
    func enablesASender() async throws {
        let desk = try await Desk()
        let (store, ann) = (desk.harness.store, desk.harness.people.ann)
        let id = try await mailOfDisabledAnn(desk)
        let plain = try await desk.post("desk/acts", #"{"kind":"enable","messages":[\#(id)]}"#)
        #expect(try desk.outcomes(plain) == ["\(id) refused"])
        let (act, outcomes) = try await cure(desk, #""kind":"enable","confirm_address":"\#(ann.email)""#, of: id)
        #expect(outcomes == ["\(id) filed"])
        #expect(try await desk.get("desk/acts/\(act)")["owner_email"] as? String == ann.email)
        #expect(try await !store.administration.user(ann.id).user.isDisabled)
        _ = try await desk.post("desk/acts/\(act)/undo")
        #expect(try await store.administration.user(ann.id).user.isDisabled)
        try await desk.harness.stop()
    }
}
