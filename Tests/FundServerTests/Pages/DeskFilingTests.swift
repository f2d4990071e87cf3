import Foundation
import FundCore
import FundStore
import Ingest
import TestSupport
import Testing

@testable import FundServer

/// Messages and causes that are filed at the desk, and what it says of them.
struct DeskFilingTests {
    /// A message that was put aside shows what became of it and how that is undone, and no button that files it.
    @Test
    func showsWhatBecameOfAMessage() async throws {
        let visit = try await DeskVisit()
        let id = try await visit.desk.keep("aside")
        _ = try await visit.act("message-\(id)=1&kind=reject&note=junk")
        let page = try await visit.get("/desk/messages/\(id)")
        #expect(page.contains("data-settled") && page.contains("put it aside") && page.contains("junk"))
        #expect(!page.contains("id=\"filing\"") && !page.contains("name=\"fund\""))
        let act = try #require(page.firstMatch(of: /\/desk\/acts\/(\d+)\/undo/)?.1)
        _ = try await visit.act("back=/desk", at: "/desk/acts/\(act)/undo")
        #expect(try await visit.get("/desk/messages/\(id)").contains("id=\"filing\""))
        try await visit.harness.stop()
    }

    /// The button of a group files all of its cause that the list knew, and the page of a cause leads to the next one.
    @Test
    func filesACauseFromTheList() async throws {
        let visit = try await DeskVisit()
        let ann = visit.harness.people.ann
        var ids: [Int64] = []
        for number in 1...3 {
            ids.append(try await visit.desk.keep("r\(number)", .unknownFund, from: ann.email, of: ann, tag: "Fnud1"))
        }
        let other = try await visit.desk.keep("x", .unknownFund, from: ann.email, of: ann, tag: "Elsewhere")
        let list = try await visit.get("/desk")
        #expect(list.contains("File all 3 into") && list.contains("name=\"all\" value=\"\(ids[0])-\(visit.fund)\""))
        let card = try await visit.get("/desk/causes/\(ids[0])")
        #expect(card.contains("name=\"back\" value=\"/desk/causes/\(other)\""))
        let fields = list.matches(of: /name="(last|cause-\d+)" value="([^"]*)"/).map {
            "\($0.1)=\(PercentCoding.encoded(String($0.2)) { ASCII.isAlphanumeric($0) })"
        }
        let later = try await visit.desk.keep("r4", .unknownFund, from: ann.email, of: ann, tag: "Fnud1")
        let before = try await visit.waiting()
        // A message that is ticked besides is left alone.
        let form = fields.joined(separator: "&") + "&all=\(ids[0])-\(visit.fund)&message-\(other)=1"
        let script = try await visit.json(form)
        #expect((script["messages"] as? [Int64]) == ids, "\(script)")
        #expect(try await visit.waiting() == before - 3)
        #expect(try await visit.get("/desk/messages/\(later)").contains("id=\"filing\""))
        _ = try await visit.act("all=\(later)-\(visit.fund)", 400)
        try await visit.harness.stop()
    }

    /// To look for a fund takes time by the length of the words.
    @Test
    func looksForAFundByWordsOfABoundedLength() async throws {
        let visit = try await DeskVisit()
        let id = try await visit.desk.keep("a")
        func words(_ count: Int) -> String { "message-\(id)=1&q=" + String(repeating: "x", count: count) }
        _ = try await visit.act(words(1024), 200, at: "/desk/choose")
        _ = try await visit.act(words(1025), 400, at: "/desk/choose")
        try await visit.harness.stop()
    }

    /// A row says how many files its mail brings.
    @Test
    func countsTheFilesOfARow() async throws {
        let visit = try await DeskVisit()
        let (ann, store) = (visit.harness.people.ann, visit.harness.store)
        let parts = ["a.pdf", "b.pdf"].map { TestPeople.Part(name: $0, bytes: Array($0.utf8)) }
        let two = try #require(try await TestPeople.file("two", parts, in: nil, of: ann, store).misrouteID)
        let one = try #require(
            try await TestPeople.file("one", Array(parts.prefix(1)), in: nil, of: ann, store).misrouteID)
        let none = try await visit.desk.keep("none")
        let list = try await visit.get("/desk")
        func files(_ id: String) throws -> Substring? {
            let row = try #require(list.range(of: "data-id=\"\(id)\"")).upperBound
            return list[row...].split(separator: "</li>")[0].firstMatch(of: /<span class="num">([^<]*)</)?.1
        }
        #expect(try files("\(two)") == "2 files")
        #expect(try files("\(one)") == "1 file")
        #expect(try files("\(none)") == nil)
        let json = try await visit.desk.get("misrouted/\(two)")
        #expect(json["file_count"] as? Int64 == 2)
        try await visit.harness.stop()
    }

    /// An act says which rule was learnt, to a script, too.
    @Test
    func saysWhatWasLearnt() async throws {
        let visit = try await DeskVisit()
        let ann = visit.harness.people.ann
        let id = try await visit.desk.keep("r", .unknownFund, from: ann.email, of: ann, tag: "Fnud1")
        let page = try await visit.get("/desk/messages/\(id)")
        let (tag, fund, who) = ("\u{2068}[Fnud1]\u{2069}", "\u{2068}[Fund1]\u{2069}", "\u{2068}\(ann.email)\u{2069}")
        #expect(page.contains("From now on \(tag) means \(fund), or the fund that you choose, when \(who) writes"))
        let script = try await visit.json("message-\(id)=1&fund=\(visit.fund)&remember=1")
        #expect((script["text"] as? String)?.contains("Remembered: \u{2068}Fnud1\u{2069}") == true, "\(script)")
        try await visit.harness.stop()
    }

    /// The button of a group is about all that wait for the cause: a filtered list, and that of mail put off, has none.
    @Test
    func filesACauseOnlyFromTheWholeList() async throws {
        let visit = try await DeskVisit()
        let ann = visit.harness.people.ann
        var ids: [Int64] = []
        for number in 1...4 {
            ids.append(try await visit.desk.keep("r\(number)", .unknownFund, from: ann.email, of: ann, tag: "Fnud1"))
        }
        #expect(try await visit.get("/desk").contains("name=\"all\""))
        #expect(try await !visit.get("/desk?q=r").contains("name=\"all\""))
        _ = try await visit.act("message-\(ids[0])=1&message-\(ids[1])=1&kind=later")
        #expect(try await visit.get("/desk").contains("File all 2 into"))
        #expect(try await !visit.get("/desk/later").contains("name=\"all\""))
        try await visit.harness.stop()
    }

    /// A cause of mail that may be forged is put aside at once, and filed one by one.
    @Test
    func filesForgedMailOneByOne() async throws {
        let visit = try await DeskVisit()
        let ann = visit.harness.people.ann
        let ids = [
            try await visit.desk.keep("a", .unverifiedSender, from: ann.email, of: ann),
            try await visit.desk.keep("b", .unverifiedSender, from: ann.email, of: ann),
        ]
        let card = try await visit.get("/desk/causes/\(ids[0])")
        #expect(card.contains("data-danger") && card.contains("one by one"))
        #expect(!card.contains("name=\"anyway\"") && !card.contains("name=\"fund\""))
        let cause = "like=\(ids[0])&up_to=\(ids[1])"
        _ = try await visit.act(cause + "&anyway=1", 400, at: "/desk/choose")
        _ = try await visit.act(cause + "&fund=\(visit.fund)&confirm_unverified=1", 400)
        // Nor are those that were ticked.
        let ticked = "message-\(ids[0])=1&message-\(ids[1])=1&fund=\(visit.fund)"
        let refused = try await visit.act(ticked, 409)
        #expect(refused.text.contains("one by one") && !refused.text.contains("name=\"confirm_unverified\""))
        _ = try await visit.act(ticked + "&confirm_unverified=1", 400)
        let before = try await visit.waiting()
        _ = try await visit.act(cause + "&kind=reject")
        #expect(try await visit.waiting() == before - 2)
        // A page from before does not file them.
        let late = try await visit.act("message-\(ids[0])=1&fund=\(visit.fund)&confirm_unverified=1", 409)
        #expect(late.text.contains("put it aside"))
        // No single sender: the same question.
        let several = try await visit.desk.keep("c", .ambiguousSender, from: "x@x.example")
        _ = try await visit.act("message-\(several)=1&fund=\(visit.fund)", 409)
        try await visit.harness.stop()
    }

    /// The question before filing names all senders that a message claims.
    @Test
    func namesAllSendersThatAMessageClaims() async throws {
        let visit = try await DeskVisit()
        let id = try await visit.desk.keep("c", .ambiguousSender, from: "x@x.example, y@y.example")
        let refused = try await visit.act("message-\(id)=1&fund=\(visit.fund)", 409)
        let question = try await visit.act("message-\(id)=1&anyway=1", 200, at: "/desk/choose").text
        for page in [refused.text, question, try await visit.get("/desk/messages/\(id)")] {
            #expect(page.contains("\u{2068}x@x.example\u{2069}, \u{2068}y@y.example\u{2069}"), "\(page)")
        }
        let api = try await visit.desk.post("misrouted/\(id)/assign", #"{"fund":\#(visit.fund)}"#, status: 409)
        #expect((api["detail"] as? String)?.contains("x@x.example, y@y.example") == true, "\(api)")
        try await visit.harness.stop()
    }

    /// The audit trail leads to messages that were filed, too.
    @Test
    func showsWhatBecameOfAFiledMessage() async throws {
        let visit = try await DeskVisit()
        let id = try await visit.desk.keep("filed")
        _ = try await visit.act("message-\(id)=1&fund=\(visit.fund)")
        let page = try await visit.get("/desk/messages/\(id)")
        #expect(page.contains("data-settled") && page.contains("root@example.com\u{2069} filed it"))
        #expect(page.contains("/undo\"") && !page.contains("id=\"filing\""))
        _ = try await visit.get("/desk/messages/\(id)/files/0/preview", 404)
        try await visit.harness.stop()
    }
}
