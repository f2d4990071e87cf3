import TestSupport
internal import Foundation
import FundStore
import FundCore
import Testing

@testable import FundServer

@Suite struct MobileAPITests {
    private typealias Object = [String: Any]

    @Test func fundsAreListedAddedRenamedAndDeleted() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        func names() async throws -> [String] {
            let answer = try await harness.send(harness.call(session, "/funds"))
            #expect(answer.json["status"] as? String == "OK")
            return (answer.json["funds"] as? [Object] ?? []).compactMap { $0["name"] as? String }
        }
        #expect(try await names() == ["Fund1"])
        let added = try await harness.send(harness.call(session, "POST", "/funds", "name=%E5%9F%BA%E9%87%91+%26+Co"))
        let fund = try #require(added.json["fund"] as? Object)
        #expect(fund["name"] as? String == "基金 & Co" && Set(fund.keys) == ["id", "name", "date"])
        #expect(fund["date"] is Int64 && added.json["id"] as? Int64 == fund["id"] as? Int64)
        let id = try #require(fund["id"] as? Int64)
        var json = harness.call(session, "PUT", "/funds/\(id)", #"{"name":"Beta"}"#)
        json.contentType = "application/json"
        #expect(try await harness.send(json).summary == "200")
        #expect(try await names().sorted() == ["Beta", "Fund1"])
        #expect(try await harness.send(harness.call(session, "POST", "/funds", "name=fund1")).status == 409)
        #expect(try await harness.send(harness.call(session, "POST", "/funds", "name=")).status == 400)
        #expect(try await harness.send(harness.call(session, "POST", "/funds")).summary == "400 name is missing")
        #expect(try await harness.send(harness.call(session, "DELETE", "/funds/\(id)")).summary == "200")
        #expect(try await harness.send(harness.call(session, "DELETE", "/funds/\(id)")).summary == "404 not found")
        #expect(try await names() == ["Fund1"])
    }

    /// A fund that is renamed keeps its id, and its former name until another fund is given that, which is told.
    @Test func aNameThatChangesHandsIsTold() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        let first = harness.fund.id
        func send(_ method: String, _ path: String, _ name: String) async throws -> (id: Int64?, former: String?) {
            let json = try await harness.send(harness.call(session, method, path, "name=\(name)")).json
            #expect(json["status"] as? String == "OK", "\(json)")
            return (json["id"] as? Int64, json["took_name_from"] as? String)
        }
        let renamed = try await send("PUT", "/funds/\(first)", "Alpha")
        #expect(renamed.id == first.rawValue && renamed.former == nil)
        let second = try await send("POST", "/funds", "Fund1")
        #expect(second.id != first.rawValue && second.former == "Alpha")
        #expect(try await send("PUT", "/funds/\(try #require(second.id))", "Beta").former == nil)
        let again = try await send("PUT", "/funds/\(first)", "fund1")
        #expect(again.id == first.rawValue && again.former == "Beta")
        // A note that a client knows by its id stays where it is.
        let notes = "/notes/\(first)"
        #expect(try await harness.send(harness.call(session, "POST", notes, "title=t&content=c")).summary == "200")
        #expect(try await harness.store.library.fund(first, of: harness.ann.id).name == "fund1")
    }

    /// The name may stand in the query as well, but not twice.
    @Test func fieldsComeFromTheQueryOrTheBody() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        #expect(try await harness.send(harness.call(session, "POST", "/funds", query: "name=Q")).summary == "200")
        let twice = harness.call(session, "POST", "/funds", "name=R", query: "name=S")
        #expect(try await harness.send(twice).summary == "400 name stands twice")
        var text = harness.call(session, "POST", "/funds", "name=T")
        text.contentType = "text/plain"
        #expect(try await harness.send(text).status == 415)
        let large = harness.call(session, "POST", "/funds", "name=" + String(repeating: "x", count: 65 * 1024))
        #expect(try await harness.send(large).status == 413)
        #expect(try await harness.store.library.funds(of: harness.ann.id).count == 2)
    }

    @Test func notesAreKeptInStep() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        let path = "/notes/\(harness.fund.id)"
        func list(_ query: String = "") async throws -> (notes: [Object], deleted: [Int64], time: Int64) {
            let json = try await harness.send(harness.call(session, path, query: query)).json
            return (
                try #require(json["notes"] as? [Object]), try #require(json["deleted"] as? [Int64]),
                try #require(json["time"] as? Int64)
            )
        }
        let content = "Line 1\r\n\"quoted\" \u{1F4C8} \u{0007}"
        let body = try JSONSerialization.data(withJSONObject: ["title": "note1", "content": content])
        let added = try await harness.send(
            harness.call(session, "POST", path, String(decoding: body, as: UTF8.self)).with {
                $0.contentType = "application/json"
            })
        let note = try #require(added.json["note"] as? Object)
        let id = try #require(note["id"] as? Int64)
        let date = try #require(note["date"] as? Int64)
        #expect(Set(note.keys) == ["id", "title", "content", "date"] && note["content"] as? String == content)
        let first = try await list()
        #expect(first.notes.count == 1 && first.deleted.isEmpty && first.notes[0]["content"] as? String == content)
        #expect(first.time == harness.clock.now.rawValue)

        let mine = try await harness.send(
            harness.call(
                session, "PUT", "\(path.replacing("/notes", with: "/notes/\(id)"))",
                "title=note1&content=mine&date=\(date)"))
        let changedAt = try #require((mine.json["note"] as? Object)?["date"] as? Int64)
        #expect(changedAt > date)
        // Another device still has the old one.
        let theirs = try await harness.send(
            harness.call(session, "PUT", "/notes/\(id)/\(harness.fund.id)", "title=note1&content=theirs&date=\(date)"))
        #expect(theirs.summary == "409 conflict")
        #expect((theirs.json["note"] as? Object)?["content"] as? String == "mine")
        #expect(
            try await harness.send(
                harness.call(session, "DELETE", "/notes/\(id)/\(harness.fund.id)", query: "date=\(date)")
            )
            .summary == "409 conflict")
        let title = try await harness.send(harness.call(session, "PUT", "/notes/\(id)/\(harness.fund.id)", "title=new"))
        #expect((title.json["note"] as? Object)?["content"] as? String == "mine")
        #expect((title.json["note"] as? Object)?["title"] as? String == "new")

        #expect(try await list("since=\(changedAt + 1000)").notes.isEmpty)
        #expect(try await list("since=0").notes.count == 1)
        #expect(try await harness.send(harness.call(session, path, query: "since=x")).status == 400)
        #expect(
            try await harness.send(harness.call(session, "DELETE", "/notes/\(id)/\(harness.fund.id)")).summary == "200")
        let last = try await list("since=0")
        #expect(last.notes.isEmpty && last.deleted == [id])
        #expect(try await list().deleted.isEmpty)
        #expect(
            try await harness.send(harness.call(session, "PUT", "/notes/\(id)/\(harness.fund.id)", "title=x")).status
                == 404)
    }

    @Test func longNotesAreTaken() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        let path = "/notes/\(harness.fund.id)"
        let content = String(repeating: "n", count: 1_000_000)
        let answer = try await harness.send(harness.call(session, "POST", path, "title=long&content=\(content)"))
        #expect((answer.json["note"] as? Object)?["content"] as? String == content)
        let more = harness.call(session, "POST", path, "title=long&content=\(content)\(content)")
        #expect(try await harness.send(more).status == 413)
    }

    @Test func mailIsListedAndRead() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        let html = FiledMail(subject: "[Fund1] html only", text: nil, html: "<p>Hello <b>you</b></p><script>x</script>")
        try await html.file(in: harness.fund, of: harness.ann, store: harness.store)
        let list = try await harness.send(harness.call(session, "/emails/\(harness.fund.id)"))
        let emails = try #require(list.json["emails"] as? [Object])
        #expect(emails.count == 2)
        let email = try #require(emails.first { $0["id"] as? Int64 == harness.emailID.rawValue })
        #expect(Set(email.keys).isSuperset(of: ["id", "subject", "from", "date", "attachments"]))
        #expect(email["subject"] as? String == "[Fund1] Q3 report" && email["from"] as? String == "ann@example.com")
        #expect(email["attachments"] as? Int64 == 1 && email["date"] is Int64)

        let one = try await harness.send(harness.call(session, "/emails/\(harness.emailID)/\(harness.fund.id)"))
        let detail = try #require(one.json["email"] as? Object)
        #expect(detail["text"] as? String == "Please find the report.")
        let attachments = try #require(detail["attachments"] as? [Object])
        #expect(attachments.count == 2)
        let report = MobileHarness.report
        #expect(attachments[0]["name"] as? String == report.name && attachments[0]["inline"] as? Bool == false)
        #expect(attachments[0]["size"] as? Int64 == Int64(report.bytes.count))
        #expect(attachments[0]["sha256"] as? String == ContentDigest.of(report.bytes).hex)
        #expect(attachments[0]["content_type"] as? String == "application/pdf")

        let other = try #require(emails.first { $0["id"] as? Int64 != harness.emailID.rawValue }?["id"] as? Int64)
        let body = try await harness.send(harness.call(session, "/emails/\(other)/\(harness.fund.id)"))
        #expect((body.json["email"] as? Object)?["text"] as? String == "Hello you")

        let page = try await harness.send(harness.call(session, "/emails/\(harness.fund.id)", query: "limit=1"))
        #expect((page.json["emails"] as? [Object])?.count == 1)
        let cursor = try #require(page.json["cursor"] as? String)
        let rest = try await harness.send(
            harness.call(session, "/emails/\(harness.fund.id)", query: "limit=1&cursor=\(cursor)"))
        #expect(
            (rest.json["emails"] as? [Object])?.first?["id"] as? Int64 != (page.json["emails"] as? [Object])?.first?[
                "id"] as? Int64)
        #expect(
            try await harness.send(harness.call(session, "/emails/\(harness.fund.id)", query: "cursor=zz")).status
                == 400)
    }

    @Test func attachmentsAreDownloaded() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        let email = try await harness.store.library.email(harness.emailID, of: harness.ann.id)
        let attachment = try #require(email.attachments.first { $0.name == MobileHarness.report.name })
        let path = "/attachments/\(attachment.id)"
        let whole = try await harness.send(harness.call(session, path))
        #expect(whole.status == 200 && whole.body == MobileHarness.report.bytes)
        #expect(whole["content-type"] == "application/pdf" && whole["etag"] == "\"\(attachment.digest.hex)\"")
        #expect(whole["content-disposition"]?.contains("filename*=UTF-8''Q3%20") == true)
        let head = try await harness.send(harness.call(session, "HEAD", path))
        #expect(head.status == 200 && head["content-length"] == "\(MobileHarness.report.bytes.count)")
        #expect(try await harness.send(harness.call(session, "DELETE", path)).status == 404)
    }
}

extension MobileHarness.Call {
    /// Changed in what is not signed.
    func with(_ change: (inout MobileHarness.Call) -> Void) -> MobileHarness.Call {
        var call = self
        change(&call)
        return call
    }
}
