import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Contents in which malware was found, as administrators see them, and what is held back there.
struct QuarantineTests {
    private static let malware = "Win.Test.<b>EICAR"
    private static let shown = "Win.Test.&lt;b&gt;EICAR"
    private static let foundAt = Timestamp(1_000_000)
    /// Where the desk shows the header and the text of a message.
    private static let parts = [#"<details class="head""#, #"<div class="text""#]

    @Test
    func listsAndReleasesOverTheAPI() async throws {
        let harness = try await ServerHarness()
        let digest = harness.people.parts[0].digest
        let other = ContentDigest.of(Array("of no file".utf8))
        let quarantine = harness.store.quarantine
        try await quarantine.quarantine(digest, malware: "Eicar", at: Self.foundAt)
        try await quarantine.quarantine(other, malware: "Other", at: Self.foundAt + .seconds(1))
        let root = try await harness.token(of: harness.people.root)

        let first = try await harness.send("GET", "/api/v1/admin/quarantine?limit=1", token: root)
        #expect(first.status == 200)
        #expect(
            first.text.contains(
                #"{"contents":[{"sha256":"\#(other.hex)","malware":"Other","found_at":1000001,"#
                    + #""released_at":null,"released_by":null,"places":[]}],"next":""#))
        let cursor = try #require(first.text.split(separator: #""next":""#).last?.prefix { $0 != "\"" })
        let second = try await harness.send("GET", "/api/v1/admin/quarantine?cursor=\(cursor)", token: root)
        #expect(
            second.text.contains(
                #""places":[{"owner":"ann@example.com","fund":"Fund1","name":"report.pdf","sender":"ann@example.com"}]"#
            ))
        #expect(try await harness.send("GET", "/api/v1/admin/quarantine?cursor=x", token: root).status == 400)

        func release(_ sha256: String) async throws -> Int {
            let path = "/api/v1/admin/quarantine/\(sha256)/release"
            let answer = try await harness.send("POST", path, token: root)
            return answer.status
        }
        #expect(try await release(digest.hex) == 204)
        // A second time, another content, and no digest at all.
        for wrong in [digest.hex, ContentDigest.of([]).hex, "x"] { #expect(try await release(wrong) == 404) }
        let released = try await harness.send("GET", "/api/v1/admin/quarantine", token: root)
        #expect(released.text.contains(#""released_by":"root@example.com""#))
        let entry = try await harness.store.administration.audit(AuditFilter(), PageQuery()).items
            .first { $0.action == "blob.released" }
        #expect(entry?.actor == "root@example.com" && entry?.subject == digest.hex)
        try await harness.stop()
    }

    @Test
    func releasesByAForm() async throws {
        let harness = try await ServerHarness()
        let digest = harness.people.parts[0].digest
        let root = try await BrowserSession(harness.people.root, harness)
        #expect(try await root.get("/office/quarantine", harness).text.contains("Nothing is in quarantine."))
        try await harness.store.quarantine.quarantine(digest, malware: Self.malware, at: Self.foundAt)
        let page = try await root.get("/office/quarantine", harness).text
        for part in [Self.shown, "Held back", "report.pdf", "ann@example.com", String(digest.hex.prefix(12))] {
            #expect(page.contains(part), "\(part)")
        }
        let act = "/office/quarantine/\(digest.hex)/release"
        #expect(page.contains(#"action="\#(act)""#))
        #expect(try await root.get("/office/health", harness).text.contains("1 file with malware is held back"))

        // No page of the file's owner gives it.
        let ann = try await BrowserSession(harness.people.ann, harness)
        let files = try await harness.store.library.children(
            of: LibraryPlace(fund: harness.people.fund.id), of: harness.people.ann.id)
        let numbers = files.compactMap { item -> Int64? in
            if case .file(let file) = item, file.digest == digest { file.id.rawValue } else { nil }
        }
        let file = try #require(numbers.first)
        let held = try await ann.get("/library/files/\(file)", harness).text
        #expect(held.contains("An administrator can release it.") && !held.contains("/content"))
        let refused = try await ann.get("/library/files/\(file)/content", harness)
        #expect(refused.status == 403 && refused.text.contains("An administrator can release it."))
        #expect(try await ann.post(act, "", harness).status == 403)

        let answer = try await root.post(act, "", harness)
        #expect(answer.status == 303 && answer["location"] == "/office/quarantine?done=content-released")
        let after = try await root.get("/office/quarantine?done=content-released", harness).text
        #expect(after.contains("Released by") && !after.contains(act))
        #expect(try await ann.get("/library/files/\(file)/content", harness).status == 200)
        try await harness.stop()
    }

    /// A content that the scanner could not look at stands at the desk, and is released by a form.
    @Test
    func releasesWhatWasNotScanned() async throws {
        let harness = try await ServerHarness()
        let (store, digest) = (harness.store, harness.people.parts[0].digest)
        let root = try await BrowserSession(harness.people.root, harness)
        let said = "1 file could not be scanned for malware"
        #expect(try await !root.get("/desk", harness).text.contains(said))
        _ = try await store.previews.enqueue(
            [PreviewOrder(RenditionKey(digest, .verdict), size: 3, .scan)], at: .now)
        var filter = PreviewJobFilter(leastUrgent: .rescan)
        filter.isForScans = true
        let job = try #require(try await store.previews.take(filter, at: .now))
        var result = PreviewResult(recipe: 1)
        result.verdict = (.limit, 1)
        try await store.previews.finish(job, with: result, then: [], at: .now)
        store.holdUnscanned()
        #expect(try await root.get("/desk", harness).text.contains(said))
        let act = "/office/quarantine/\(digest.hex)/release"
        #expect(try await root.get("/office/quarantine", harness).text.contains(#"action="\#(act)""#))
        #expect(try await store.quarantine.refusal(of: digest) == .unscanned)
        #expect(try await root.post(act, "", harness).status == 303)
        #expect(try await store.quarantine.refusal(of: digest) == nil)
        #expect(try await !root.get("/desk", harness).text.contains(said))
        try await harness.stop()
    }

    /// The desk says what was found, and shows nothing of the message.
    @Test
    func holdsBackKeptMessages() async throws {
        let harness = try await ServerHarness()
        let id = harness.people.misrouted
        let record = try await harness.store.administration.misroute(id)
        let root = try await BrowserSession(harness.people.root, harness)
        let page = "/desk/messages/\(id)"
        #expect(try await !root.get("/desk", harness).text.contains(">malware<"))
        let before = try await root.get(page, harness).text
        for part in Self.parts { #expect(before.contains(part), "\(part)") }
        try await harness.store.quarantine.quarantine(record.digest, malware: Self.malware, at: Self.foundAt)

        let pane = try await root.get(page, harness)
        #expect(pane.status == 200 && pane.text.contains("Malware was found in this message."))
        #expect(pane.text.contains(Self.shown))
        for part in Self.parts { #expect(!pane.text.contains(part), "\(part)") }
        #expect(pane.text.contains(#"name="kind""#), "it can be put aside")
        #expect(try await root.get("/desk", harness).text.contains(">malware<"))
        #expect(try await root.get("/desk/causes/\(id)", harness).text.contains(">malware<"))
        let frame = try await root.get(page + "/frame", harness, fields: ["Sec-Fetch-Dest": "iframe"])
        #expect(frame.status == 403)
        for path in ["/files/0", "/raw"] { #expect(try await root.get(page + path, harness).status == 403, "\(path)") }
        let token = try await harness.token(of: harness.people.root)
        for path in ["content", "raw"] {
            let answer = try await harness.send("GET", "/api/v1/admin/misrouted/\(id)/\(path)", token: token)
            #expect(answer.status == 403 && answer.text.contains("problem:quarantined"), "\(path)")
        }
        try await harness.stop()
    }

    /// Before a scanner has looked at it a file is shown in lists, and not given.
    @Test
    func holdsWhatWasNotScanned() async throws {
        let harness = try await ServerHarness()
        harness.store.holdUnscanned()
        let place = LibraryPlace(fund: harness.people.fund.id)
        let files = try await harness.store.library.children(of: place, of: harness.people.ann.id)
        let digest = harness.people.parts[0].digest
        let numbers = files.compactMap { item -> Int64? in
            if case .file(let file) = item, file.digest == digest { file.id.rawValue } else { nil }
        }
        let file = try #require(numbers.first)
        let ann = try await harness.token(of: harness.people.ann)
        let refused = try await harness.send("GET", "/api/v1/files/\(file)/content", token: ann)
        #expect(refused.status == 503 && refused.text.contains("problem:unscanned"))
        #expect(refused["retry-after"] == "10")
        let browser = try await BrowserSession(harness.people.ann, harness)
        let page = try await browser.get("/library/files/\(file)", harness)
        #expect(page.status == 200 && page.text.contains("not been scanned for malware yet"))
        #expect(!page.text.contains("/content"))
        #expect(try await browser.get("/library/files/\(file)/content", harness).status == 503)
        let root = try await BrowserSession(harness.people.root, harness)
        #expect(try await root.get("/desk/messages/\(harness.people.misrouted)", harness).status == 200)
        try await harness.stop()
    }
}
