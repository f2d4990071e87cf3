internal import Foundation
import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Previews as the web API gives them.
struct PreviewTests {
    private struct Place {
        let previews = SamplePreviews()
        let harness: ServerHarness
        let token: String
        let file: FileEntry

        init() async throws {
            harness = try await ServerHarness(.with(previews))
            token = try await harness.token(of: harness.people.ann)
            let (library, people) = (harness.store.library, harness.people)
            let items = try await library.children(of: LibraryPlace(fund: people.fund.id), of: people.ann.id)
            let files = items.compactMap { item -> FileEntry? in if case .file(let file) = item { file } else { nil } }
            file = try #require(files.first { $0.name == "report.pdf" })
        }

        func get(_ query: String = "", _ fields: [String: String] = [:], method: String = "GET") async throws
            -> RawHTTPResponse
        {
            try await harness.send(
                method, "/api/v1/files/\(file.id)/preview\(query)", token: token, fields: fields)
        }

        func json(_ path: String) async throws -> [String: Any] {
            let response = try await harness.send("GET", "/api/v1" + path, token: token)
            #expect(response.status == 200, "\(path): \(response.text.prefix(300))")
            return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
        }
    }

    @Test
    func tellsThatSomebodyIsThere() async throws {
        let place = try await Place()
        func uses() -> Int { place.previews.state.withLock { $0.uses } }
        let before = uses()
        #expect(try await place.harness.send("GET", "/api/v1/funds").status == 401)
        #expect(try await place.harness.send("GET", "/healthz").status == 200)
        #expect(uses() == before)
        #expect(try await place.get().status == 200)
        #expect(uses() == before + 1)
    }

    @Test
    func servesPictures() async throws {
        let place = try await Place()
        let picture = try await place.get("?size=1600&page=2")
        let tag = "\"\(ContentDigest.of(SamplePreviews.picture).hex)\""
        #expect(picture.status == 200 && picture.body == SamplePreviews.picture)
        #expect(picture["content-type"] == "image/webp" && picture["etag"] == tag)
        #expect(picture["cache-control"] == "private, no-cache")
        #expect(picture["x-content-type-options"] == "nosniff")
        #expect(picture["content-security-policy"] == ContentHeaders.policy)
        let head = try await place.get("?size=2560", method: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty && head["etag"] == tag)
        let known = try await place.get("", ["If-None-Match": tag])
        #expect(known.status == 304 && known["etag"] == tag && known["content-type"] == nil)
        #expect(try await place.get("", ["If-Match": "\"x\""]).status == 412)
        let asked = place.previews.state.withLock { $0.asked }
        #expect(asked.map(\.kind) == [.page, .large, .thumbnail, .thumbnail])
        #expect(asked.map(\.page) == [2, 1, 1, 1] && asked.allSatisfy { $0.content == place.file.digest })
        let text = try await place.get("/text?page=3")
        #expect(text.status == 200 && text.text == "Words <b>of</b> page 3")
        #expect(text["content-type"] == "text/plain; charset=utf-8")
        #expect(text["content-security-policy"] == ContentHeaders.policy)
        let fields = try await place.get("/fields")
        #expect(fields.status == 200 && fields["content-type"] == "application/json; charset=utf-8")
        #expect(fields.text.hasPrefix(#"{"events":[{"attendees":"#) && fields.text.contains(#""kind":"calendar""#))
        #expect(fields["content-security-policy"] == ContentHeaders.policy && fields["etag"] != nil)
        #expect(fields["x-content-type-options"] == "nosniff")
        try await place.harness.stop()
    }

    /// Only where the address is about these bytes.
    @Test
    func mayBeKeptForEver() async throws {
        let place = try await Place()
        let hex = place.file.digest.hex
        for version in [hex, String(hex.prefix(10)), String(hex.prefix(40))] {
            let answer = try await place.get("?v=\(version)")
            #expect(answer["cache-control"] == "private, max-age=31536000, immutable", "\(version)")
        }
        let others = [
            "", String(hex.prefix(9)), hex + "0", String(hex.reversed()), hex.uppercased(), "e%CC%81",
            String(repeating: "%CC%81", count: 300),
        ]
        for version in others {
            let answer = try await place.get("?v=\(version)")
            #expect(answer.status == 200 && answer["cache-control"] == "private, no-cache", "\(version)")
        }
        // An answer about a preview that is being made is not kept, whatever its address says.
        place.previews.set(.making(ahead: 3), of: place.file.digest)
        #expect(try await place.get("?v=\(hex)")["cache-control"] == "no-store")
        try await place.harness.stop()
    }

    @Test
    func saysWhatIsNotThere() async throws {
        let place = try await Place()
        place.previews.set(.making(ahead: 3), of: place.file.digest)
        for path in ["", "/text", "/fields"] {
            let answer = try await place.get(path)
            #expect(answer.status == 202 && answer["retry-after"] == "1")
            #expect(answer.text == #"{"state":"making","ahead":3}"#)
        }
        for failure in RenditionFailure.allCases {
            place.previews.set(.failed(failure), of: place.file.digest)
            let answer = try await place.get()
            #expect(answer.status == (failure == .quarantined ? 403 : 422), "\(failure)")
            #expect(answer["content-type"] == "application/problem+json" && answer["cache-control"] == "no-store")
            #expect(answer.text.contains(#""code":"\#(failure.rawValue)""#), "\(answer.text)")
            #expect(answer.text.contains(#""type":"urn:fundmail:problem:"#))
        }
        place.previews.set(.full, of: place.file.digest)
        let full = try await place.get()
        #expect(full.status == 503 && full["retry-after"] == "2")
        try await place.harness.stop()
    }

    @Test(arguments: [
        "?size=0", "?size=481", "?size=-480", "?size=", "?size=x", "?size=9223372036854775807", "?size=480&size=480",
        "?page=0", "?page=-1", "?page=", "?page=1.5", "?page=100001", "?page=99999999999999999999", "/text?page=0",
    ])
    func refusesOtherValues(query: String) async throws {
        let place = try await Place()
        #expect(try await place.get(query).status == 400)
        #expect(place.previews.state.withLock { $0.asked.isEmpty })
        try await place.harness.stop()
    }

    /// Nothing is asked of the previews for another's file.
    @Test
    func isForTheOwnerAlone() async throws {
        let place = try await Place()
        let bea = try await place.harness.token(of: place.harness.people.bea)
        for path in [
            "preview", "preview/text", "preview/fields", "preview?v=\(place.file.digest.hex)", "preview?size=7",
        ] {
            let answer = try await place.harness.send("GET", "/api/v1/files/\(place.file.id)/\(path)", token: bea)
            #expect(answer.status == 404, "\(path)")
        }
        #expect(place.previews.state.withLock { $0.asked.isEmpty })
        try await place.harness.stop()
    }

    @Test
    func isOffWithoutASource() async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let things = try await TestItems(harness)
        let previews = [
            "files/{file}/preview", "files/{file}/preview/text", "files/{file}/preview/fields",
            "attachments/{attachment}/preview", "attachments/{attachment}/preview/fields",
        ]
        for path in previews {
            let answer = try await harness.send("GET", things.fill("/api/v1/\(path)"), token: token)
            #expect(answer.status == 422 && answer.text.contains(#""code":"off""#), "\(path)")
        }
        let paths = ["/funds/{fund}/items", "/files/{file}", "/search?q=report"]
        for path in paths {
            let answer = try await harness.send("GET", things.fill("/api/v1" + path), token: token)
            #expect(answer.status == 200 && !answer.text.contains("preview"), "\(path)")
        }
        try await harness.stop()
    }

    // MARK: Lists

    @Test
    func listsSayWhatIsThere() async throws {
        let place = try await Place()
        let people = place.harness.people
        var info = FileInfo(.pdf)
        (info.pageCount, info.width, info.height) = (12, 595, 842)
        place.previews.set(.ready, of: people.parts[0].digest, info)
        info = FileInfo(.mp4)
        (info.milliseconds, info.width, info.height) = (61_500, 1920, 1080)
        place.previews.set(.making(ahead: 1), of: people.parts[1].digest, info)
        place.previews.set(.failed(.tooLarge), of: people.parts[2].digest)
        let items = try #require(try await place.json("/funds/\(people.fund.id)/items")["items"] as? [[String: Any]])
        let previews = Dictionary(
            uniqueKeysWithValues: items.map { ($0["name"] as? String ?? "", $0["preview"] as? [String: Any] ?? [:]) })
        let ready = try #require(previews["report.pdf"])
        #expect(ready["state"] as? String == "ready" && ready["type"] as? String == "pdf")
        #expect(ready["pages"] as? Int == 12 && ready["width"] as? Int == 339 && ready["height"] as? Int == 480)
        let url = try #require(ready["url"] as? String)
        #expect(url == "/api/v1/files/\(place.file.id)/preview?v=\(place.file.digest.hex.prefix(10))")
        let thumbnail = try await place.harness.send("GET", url + "&size=480", token: place.token)
        #expect(thumbnail.status == 200 && thumbnail["cache-control"]?.hasSuffix("immutable") == true)
        let making = try #require(previews[people.parts[1].name])
        #expect(making["state"] as? String == "making" && making["duration_ms"] as? Int == 61_500)
        #expect(making["width"] as? Int == 1920 && making["pages"] == nil)
        let failed = try #require(previews["large.bin"])
        #expect(failed["state"] as? String == "failed" && failed["reason"] as? String == "too_large")
        #expect(failed["type"] == nil && failed["width"] == nil)
        // One question for the whole list.
        #expect(place.previews.state.withLock { $0.lists.map(\.count) } == [3])
        try await place.harness.stop()
    }

    @Test
    func hitsSayWhatIsThere() async throws {
        let place = try await Place()
        while try await place.harness.store.maintenance.index.indexPending() > 0 {}
        let hits = try #require(try await place.json("/search?q=report")["hits"] as? [[String: Any]])
        let file = try #require(hits.first { $0["type"] as? String == "file" })
        #expect((file["preview"] as? [String: Any])?["state"] as? String == "ready")
        #expect(hits.allSatisfy { $0["type"] as? String == "file" || $0["preview"] == nil })
        #expect(place.previews.state.withLock { $0.lists.count } == 1)
        try await place.harness.stop()
    }

    /// Members that change by themselves are no part of the tag that guards changes.
    @Test
    func tagsLeavePreviewsOut() async throws {
        let place = try await Place()
        let path = "/api/v1/files/\(place.file.id)"
        let ready = try await place.harness.send("GET", path, token: place.token)
        place.previews.set(.making(ahead: 0), of: place.file.digest)
        let making = try await place.harness.send("GET", path, token: place.token)
        #expect(ready.text.contains(#""state":"ready""#) && making.text.contains(#""state":"making""#))
        let tag = try #require(ready["etag"])
        #expect(making["etag"] == tag)
        let renamed = try await place.harness.send(
            "PATCH", path, token: place.token, fields: ["Content-Type": "application/json", "If-Match": tag],
            body: Array(#"{"name":"renamed.pdf"}"#.utf8))
        #expect(renamed.status == 200)
        try await place.harness.stop()
    }

    /// A list is shown whatever becomes of its previews.
    @Test
    func listsDoWithout() async throws {
        let place = try await Place()
        place.previews.state.withLock { $0.isBroken = true }
        let items = try #require(
            try await place.json("/funds/\(place.harness.people.fund.id)/items")["items"] as? [[String: Any]])
        #expect(items.count == 3 && items.allSatisfy { $0["preview"] == nil })
        try await place.harness.stop()
    }

    /// The owners of the file hear of it, and no one else.
    @Test
    func tellsOfThumbnailsAsTheyCome() async throws {
        let place = try await Place()
        let (harness, file) = (place.harness, place.file)
        let others = try await harness.token(of: harness.people.root)
        func stream(_ token: String) async throws -> RawHTTPConnection {
            let connection = try RawHTTPConnection(port: harness.port)
            await connection.send(
                """
                GET /api/v1/changes HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\
                Authorization: Bearer \(token)\r\n\r\n
                """)
            #expect(await connection.text(until: "retry: 3000").contains("text/event-stream"))
            return connection
        }
        let (own, foreign) = (try await stream(place.token), try await stream(others))
        place.previews.news.note(.of([1, 2, 3]))
        place.previews.news.note(file.digest)
        let event = "event: preview\ndata: {\"type\":\"file\",\"id\":\(file.id),\"preview\":{\"state\":\"ready\""
        #expect(await own.text(until: event).contains(event))
        let note = try await harness.store.library.addFund("Later", of: harness.people.root.id)
        let heard = await foreign.text(until: "\"id\":\(note.id)")
        #expect(!heard.contains("event: preview"))
        try await harness.stop()
    }
}
