import FundHTTP
internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// The bytes of files, as every face serves them; asked for through the web API.
struct DownloadTests {
    private struct Asked {
        let harness: ServerHarness
        let token: String
        let attachments: [AttachmentEntry]

        init(_ options: ServerHarness.Options = ServerHarness.Options()) async throws {
            harness = try await ServerHarness(options)
            let people = harness.people
            token = try await harness.token(of: people.ann)
            attachments = try await harness.store.library.email(people.email, of: people.ann.id).attachments
        }

        func get(_ index: Int, _ fields: [String: String] = [:], method: String = "GET", query: String = "")
            async throws
            -> RawHTTPResponse
        {
            try await harness.send(
                method, "/api/v1/attachments/\(attachments[index].id)/content\(query)", token: token, fields: fields)
        }

        func record(_ index: Int) throws -> StoredRecord {
            try harness.store.record(of: attachments[index].digest)
        }

        /// The digests of which the audit trail says that they are damaged.
        func notedDamage() async throws -> [String] {
            try await harness.store.administration.audit(AuditFilter(), PageQuery(limit: 100)).items
                .filter { $0.action == "blob.damaged" }.map(\.subject)
        }
    }

    /// Ranges of the ten bytes `0123456789`, and the answers to them.
    private static let ranges: [(field: String, status: Int, body: String, contentRange: String?)] = [
        ("bytes=0-0", 206, "0", "bytes 0-0/10"), ("bytes=2-5", 206, "2345", "bytes 2-5/10"),
        ("bytes=5-", 206, "56789", "bytes 5-9/10"), ("bytes=-3", 206, "789", "bytes 7-9/10"),
        ("bytes=-500", 206, "0123456789", "bytes 0-9/10"),
        ("bytes=0-9223372036854775807", 206, "0123456789", "bytes 0-9/10"),
        ("bytes=5-1", 416, "", "bytes */10"), ("bytes=10-", 416, "", "bytes */10"),
        ("bytes=0-1,3-4", 200, "0123456789", nil), ("lines=0-1", 200, "0123456789", nil),
        ("bytes=" + (0..<1000).map { "\($0)-\($0)" }.joined(separator: ","), 200, "0123456789", nil),
    ]

    @Test
    func servesRanges() async throws {
        let asked = try await Asked()
        for range in Self.ranges {
            let response = try await asked.get(0, ["Range": range.field])
            #expect(response.status == range.status, "\(range.field.prefix(40))")
            #expect(response["content-range"] == range.contentRange, "\(range.field.prefix(40))")
            if response.status < 300 { #expect(response.text == range.body, "\(range.field.prefix(40))") }
            #expect(!response.isCut)
        }
        try await asked.harness.stop()
    }

    @Test
    func servesConditionally() async throws {
        let asked = try await Asked()
        let tag = "\"\(asked.attachments[0].digest.hex)\""
        let cases: [(fields: [String: String], status: Int)] = [
            (["If-None-Match": tag], 304), (["If-None-Match": "W/\(tag)"], 304), (["If-None-Match": "*"], 304),
            (["If-None-Match": "\"x\", \(tag)"], 304), (["If-None-Match": "\"x\""], 200),
            (["If-Match": tag], 200), (["If-Match": "\"x\""], 412), (["If-Match": "W/\(tag)"], 412),
            (["Range": "bytes=0-1", "If-Range": tag], 206), (["Range": "bytes=0-1", "If-Range": "\"x\""], 200),
            (["Range": "bytes=0-1", "If-Range": "W/\(tag)"], 200),
            (["Range": "bytes=0-1", "If-None-Match": tag], 304),
        ]
        for example in cases {
            #expect(try await asked.get(0, example.fields).status == example.status, "\(example.fields)")
        }
        try await asked.harness.stop()
    }

    @Test
    func servesLargeFilesWhole() async throws {
        let asked = try await Asked()
        let bytes = asked.harness.people.parts[2].bytes
        #expect(try await asked.get(2).body == bytes)
        let part = try await asked.get(2, ["Range": "bytes=1000-2500000"])
        #expect(part.body == Array(bytes[1000...2_500_000]))
        let head = try await asked.get(2, method: "HEAD")
        #expect(head.status == 200)
        #expect(head["content-length"] == "3000001")
        #expect(head["etag"] == "\"\(asked.attachments[2].digest.hex)\"")
        try await asked.harness.stop()
    }

    /// A drawing could hold a script, and its name could end the header.
    @Test
    func sendsNothingThatABrowserRuns() async throws {
        let asked = try await Asked()
        for query in ["", "?disposition=inline"] {
            let drawing = try await asked.get(1, query: query)
            #expect(drawing["content-type"] == "application/octet-stream")
            #expect(
                drawing["content-disposition"]
                    == "attachment; filename=\"Zo_ _q_ __.svg\"; "
                    + "filename*=UTF-8''Zo%C3%AB%20%22q%22%20%E5%A0%B1%E5%91%8A.svg"
            )
            #expect(drawing["x-content-type-options"] == "nosniff")
            #expect(drawing["content-security-policy"]?.contains("sandbox") == true)
            #expect(drawing["cache-control"]?.contains("private") == true)
        }
        let document = try await asked.get(0, query: "?disposition=inline")
        #expect(document["content-type"] == "application/pdf")
        // Safari shows no PDF in a sandbox; that nothing is loaded or run holds all the same.
        #expect(document["content-security-policy"]?.contains("sandbox") == false)
        #expect(document["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
        let saved = try await asked.get(0, query: "")
        #expect(saved["content-security-policy"]?.contains("sandbox") == true)
        #expect(document["content-disposition"] == "inline; filename=\"report.pdf\"")
        try await asked.harness.stop()
    }

    enum Damage: CaseIterable {
        /// The segment is no more there.
        case missing
        /// There is no header of the record.
        case lost
        /// The segment ends early.
        case shortened
        case changed, changedLater
    }

    /// Never a byte of it, and one entry in the audit trail. What shows before the first byte is refused; else the
    /// connection ends where the damage is.
    @Test(arguments: Damage.allCases)
    func neverServesDamage(_ damage: Damage) async throws {
        let asked = try await Asked()
        let bytes = asked.harness.people.parts[2].bytes
        let record = try asked.record(2)
        if damage == .changedLater { #expect(try await asked.get(2).body == bytes) }
        switch damage {
        case .missing: try FileManager.default.removeItem(atPath: record.path)
        case .lost: try record.lose()
        case .shortened: #expect(truncate(record.path, 1000) == 0)
        case .changed, .changedLater: try record.damage(at: 2_000_000)
        }
        // Bytes that are in memory since they were checked are as they were then: what comes from the disk is not.
        guard damage != .changedLater || PageCache.letGo(of: record.path) else { return }
        for method in ["GET", "HEAD", "GET"] {
            let response = try await asked.get(2, method: method)
            if [.missing, .lost].contains(damage) {
                #expect(response.tellsOfDamage, "\(method)")
                continue
            }
            #expect(response.status == 200, "\(method)")
            guard method == "GET" else { continue }
            #expect(response.isCut && response.body.count <= 2_000_000)
            #expect(bytes.starts(with: response.body))
        }
        #expect(try await asked.get(2, ["Range": "bytes=1999990-2000009"]).tellsOfDamage)
        // Other blocks are as good as ever.
        let beginning = try await asked.get(2, ["Range": "bytes=0-9"])
        if [.changed, .changedLater].contains(damage) {
            #expect(beginning.status == 206 && beginning.body == Array(bytes[..<10]))
        } else {
            #expect(beginning.tellsOfDamage)
        }
        #expect(try await asked.get(0).status == 200)
        #expect(try await asked.notedDamage() == [asked.attachments[2].digest.hex])
        try await asked.harness.stop()
    }

    /// A file that is sent in one piece is checked before, also when it is read from the disk again.
    @Test(arguments: [Damage.lost, .changed, .changedLater])
    func refusesASmallFileThatIsDamaged(_ damage: Damage) async throws {
        let asked = try await Asked()
        if damage == .changedLater { #expect(try await asked.get(0).text == "0123456789") }
        let record = try asked.record(0)
        if damage == .lost { try record.lose() } else { try record.damage(at: 9) }
        guard damage != .changedLater || PageCache.letGo(of: record.path) else { return }
        #expect(try await asked.get(0).tellsOfDamage)
        #expect(try await asked.get(0, ["Range": "bytes=0-0"]).tellsOfDamage)
        #expect(try await asked.get(0).tellsOfDamage)
        // Another of the same segment.
        #expect(try await asked.get(1).text == "<svg/>")
        #expect(try await asked.notedDamage() == [asked.attachments[0].digest.hex])
        try await asked.harness.stop()
    }

    /// HEAD sends no byte, so it reads none: gigabytes would keep it, and others, for minutes.
    @Test
    func readsNothingForHEAD() async throws {
        let asked = try await Asked()
        try asked.record(2).damage()
        let head = try await asked.get(2, method: "HEAD")
        #expect(head.status == 200)
        #expect(head["content-length"] == "3000001")
        #expect(try await asked.notedDamage().isEmpty)
        let whole = try await asked.get(2)
        #expect(whole.status == 200 && whole.isCut && whole.body.isEmpty)
        #expect(try await asked.get(2, method: "HEAD").status == 200)
        try await asked.harness.stop()
    }

    /// Uploads that end early leave nothing.
    @Test
    func leavesNothingOfAnUploadThatWasCut() async throws {
        let asked = try await Asked()
        let target = "/api/v1/funds/\(asked.harness.people.fund.id)/files?name=cut.bin"
        let head =
            "POST \(target) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(asked.token)\r\nContent-Type: text/plain\r\n"
        for length in ["Content-Length: 1000000\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n"] {
            let connection = try RawHTTPConnection(port: asked.harness.port)
            await connection.send(head + length)
            try await eventually { asked.harness.metrics.connections.requestsInFlight == 1 }
            connection.finishSending()
            #expect(await connection.response()?.status ?? 400 == 400)
        }
        try await eventually { asked.harness.metrics.connections.openConnections == 0 }
        let names = try await asked.harness.store.library.children(
            of: LibraryPlace(fund: asked.harness.people.fund.id), of: asked.harness.people.ann.id)
        #expect(names.count == asked.attachments.count)
        try await eventually { try DiskDirectory.names(in: asked.harness.folder + "/store/tmp").isEmpty }
        try await asked.harness.stop()
    }
}

extension RawHTTPResponse {
    /// That a file is damaged, and nothing of it.
    fileprivate var tellsOfDamage: Bool {
        status == 500 && self["content-type"] == "application/problem+json" && self["etag"] == nil
    }
}
