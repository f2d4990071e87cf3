internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Zip files of funds, as clients get them; other programs judge them.
@Suite(.startsPrograms, .timeLimit(.minutes(10))) struct ZipTests {
    private struct Asked {
        let harness: ServerHarness
        let token: String

        var store: FundStore { harness.store }
        var ann: User.ID { harness.people.ann.id }
        var place: LibraryPlace { LibraryPlace(fund: harness.people.fund.id) }
        var target: String { "/api/v1/funds/\(harness.people.fund.id)/zip" }

        init() async throws {
            harness = try await ServerHarness()
            token = try await harness.token(of: harness.people.ann)
        }

        func get(_ query: String = "", token: String? = nil) async throws -> RawHTTPResponse {
            try await harness.send("GET", target + query, token: token ?? self.token)
        }

        @discardableResult
        func put(_ name: String, _ text: String, in place: LibraryPlace? = nil) async throws -> FileEntry {
            let upload = try store.library.makeUpload(named: name, announcing: nil)
            try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
            let staged = try upload.finish(contentType: "text/plain")
            let target = FileTarget(name, in: place ?? self.place, ifTaken: .refuse)
            return try await store.library.addFile(staged, at: target, of: ann)
        }

        func folder(_ name: String, in place: LibraryPlace? = nil) async throws -> LibraryPlace {
            let folder = try await store.library.addFolder(name, in: place ?? self.place, of: ann)
            return LibraryPlace(fund: folder.fund, folder: folder.id)
        }

        /// Reads entry by entry as programs do that have a stream: the directory behind all of them is not looked at.
        private static let streamReader = """
            import struct, sys, zlib
            data, place, names = open(sys.argv[1], "rb").read(), 0, 0
            while data[place:place + 4] == b"PK\\3\\4":
                flags, method = struct.unpack("<HH", data[place + 6:place + 10])
                length, more = struct.unpack("<HH", data[place + 26:place + 30])
                place += 30 + length + more
                if flags & 8:
                    assert method == 8
                    reader = zlib.decompressobj(-15)
                    content = reader.decompress(data[place:])
                    assert reader.eof
                    packed = len(data) - place - len(reader.unused_data)
                    place += packed
                    mark, check, first, second = struct.unpack("<IIII", data[place:place + 16])
                    assert (mark, check) == (0x08074B50, zlib.crc32(content)), (mark, check)
                    assert (first, second) == (packed, len(content))
                    place += 16
                else:
                    assert method == 0 and data[place - length - more - 16:place - length - more - 4] == bytes(12)
                names += 1
            assert data[place:place + 4] in (b"PK\\1\\2", b"PK\\5\\6"), (place, names)
            """

        /// Names in a zip file, and texts of short files, as three readers find them. All check all checksums.
        func contents(of response: RawHTTPResponse) async throws -> [String: String] {
            let path = "\(harness.folder)/\(DiskDirectory.uniqueName(prefix: "zip")).zip"
            try Data(response.body).write(to: URL(fileURLWithPath: path))
            let script = """
                import json, sys, zipfile
                archive = zipfile.ZipFile(sys.argv[1])
                assert archive.testzip() is None
                assert all(entry.flag_bits & 0x800 for entry in archive.infolist())
                assert len(set(archive.namelist())) == len(archive.namelist())
                print(json.dumps({
                    entry.filename: archive.read(entry).decode() if entry.file_size < 1000 else str(entry.file_size)
                    for entry in archive.infolist()}))
                """
            return try await offPool {
                _ = try ToolRun.output(["unzip", "-tqq", path])
                _ = try ToolRun.output(["python3", "-c", Self.streamReader, path])
                let json = try ToolRun.output(["python3", "-c", script, path])
                return try JSONDecoder().decode([String: String].self, from: Data(json.utf8))
            }
        }
    }

    @Test func holdsAWholeFundWithItsMail() async throws {
        let asked = try await Asked()
        let folder = try await asked.folder("報告 2026")
        let inner = try await asked.folder("inner", in: folder)
        try await asked.put("a.txt", "one", in: folder)
        try await asked.put("b.txt", "two", in: inner)
        try await asked.put("empty", "")
        _ = try await asked.folder("Mail")
        let parts = asked.harness.people.parts
        let response = try await asked.get("?emails=true")
        #expect(response.status == 200 && response["content-type"] == "application/zip")
        #expect(response["content-disposition"] == "attachment; filename=\"Fund1.zip\"")
        #expect(response["content-length"] == "\(response.body.count)" && !response.isCut)
        let found = try await asked.contents(of: response)
        let date = try await DateText.internet(
            asked.store.library.email(asked.harness.people.email, of: asked.ann).summary.receivedAt
        ).prefix(10)
        let email = "Mail/\(date) [Fund1] first.eml"
        #expect(
            Set(found.keys)
                == Set([
                    "Mail/", "Mail (1)/", "報告 2026/", "報告 2026/inner/", "報告 2026/a.txt", "報告 2026/inner/b.txt", "empty",
                    "report.pdf", "Zoë _q_ 報告.svg", "large.bin", email,
                ]))
        #expect(found["報告 2026/inner/b.txt"] == "two" && found["empty"] == "" && found["report.pdf"] == "0123456789")
        #expect(found["large.bin"] == "\(parts[2].bytes.count)")
        #expect(found[email] == "Subject: first\r\nFrom: ann@example.com\r\n\r\nfirst\r\n")
        #expect(try await asked.contents(of: try await asked.get()).keys.contains(email) == false)
        try await asked.harness.stop()
    }

    @Test func holdsWhatIsSelected() async throws {
        let asked = try await Asked()
        let folder = try await asked.folder("f")
        let inner = try await asked.folder("g", in: folder)
        let top = try await asked.put("a.txt", "top")
        let below = try await asked.put("a.txt", "below", in: inner)
        let (outer, email) = (try #require(folder.folder), asked.harness.people.email)
        func items(_ query: String) async throws -> [String: String] {
            try await asked.contents(of: try await asked.get("?items=" + query))
        }
        #expect(try await items("file:\(top.id)") == ["a.txt": "top"])
        // Two of one name from two folders; the same one twice is one.
        #expect(
            try await items("file:\(top.id),file:\(below.id),file:\(top.id)")
                == ["a.txt": "top", "a (1).txt": "below"])
        // A file in a selected folder stands there only.
        #expect(
            try await items("folder:\(outer),file:\(below.id),folder:\(try #require(inner.folder))")
                == ["f/": "", "f/g/": "", "f/g/a.txt": "below"])
        let body = #"{"items":[{"type":"email","id":\#(email)},{"type":"file","id":\#(top.id)}]}"#
        let posted = try await asked.harness.send("POST", asked.target, token: asked.token, json: body)
        #expect(try await asked.contents(of: posted).keys.contains("a.txt"))
        #expect(try await asked.contents(of: posted).count == 3)
        let empty = try await asked.harness.send("POST", asked.target, token: asked.token, json: #"{"items":[]}"#)
        #expect(empty.status == 200 && empty.body.count == 22)
        try await asked.harness.stop()
    }

    @Test func refusesWhatIsNotInTheFund() async throws {
        let asked = try await Asked()
        let (store, bea) = (asked.store, asked.harness.people.bea)
        let second = try await store.library.addFund("Second", of: asked.ann)
        let elsewhere = try await asked.put("x", "x", in: LibraryPlace(fund: second.id))
        let deleted = try await asked.put("y", "y")
        try await store.library.delete(.file(deleted.id), of: asked.ann)
        let hers = try await store.library.addFolder(
            "hers", in: LibraryPlace(fund: asked.harness.people.otherFund.id), of: bea.id)
        let cases: [(query: String, status: Int)] = [
            ("?items=file:\(elsewhere.id)", 404), ("?items=file:\(deleted.id)", 404), ("?items=folder:\(hers.id)", 404),
            ("?items=file:999999", 404), ("?items=file:0", 400), ("?items=file:x", 400), ("?items=note:1", 400),
            ("?items=file:1,", 400), ("?items=file", 400), ("?emails=1", 400),
        ]
        for example in cases {
            #expect(try await asked.get(example.query).status == example.status, "\(example.query)")
        }
        let many = (1...1001).map { #"{"type":"file","id":\#($0)}"# }.joined(separator: ",")
        let refused = try await asked.harness.send(
            "POST", asked.target, token: asked.token, json: #"{"items":[\#(many)]}"#)
        #expect(refused.status == 400)
        #expect(try await asked.get(token: try await asked.harness.token(of: bea)).status == 404)
        try await store.administration.archiveFund(asked.harness.people.fund.id, actor: "test")
        #expect(try await asked.get().status == 404)
        try await asked.harness.stop()
    }

    /// No zip file that looks whole, and one entry in the audit trail.
    @Test(arguments: [true, false]) func breaksOffAtADamagedFile(_ isMissing: Bool) async throws {
        let asked = try await Asked()
        let record = try asked.store.record(of: asked.harness.people.parts[2].digest)
        if isMissing { try record.lose() } else { try record.damage() }
        let response = try await asked.get()
        #expect(response.status == 200 && response.isCut)
        let entries = try await asked.store.administration.audit(AuditFilter(), PageQuery(limit: 100)).items.filter {
            $0.action == "blob.damaged"
        }
        #expect(entries.map(\.subject) == [asked.harness.people.parts[2].digest.hex])
        try await asked.harness.stop()
    }

    /// Far more than the server and the system keep for a client that does not read.
    @Test func endsWithTheAccess() async throws {
        let asked = try await Asked()
        let large = try #require(
            try await asked.store.library.item(at: ["Fund1", "large.bin"], of: asked.ann)?.itemID)
        for index in 0..<20 {
            _ = try await asked.store.library.copy(
                large, to: asked.place, named: "\(index).bin", ifTaken: .refuse, isShallow: false, of: asked.ann)
        }
        let connection = try RawHTTPConnection(port: asked.harness.port)
        await connection.send(
            "GET \(asked.target) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(asked.token)\r\n\r\n")
        let head = try #require(await connection.response(hasBody: false))
        let length = try #require(head["content-length"].flatMap { Int($0) })
        #expect(head.status == 200 && length > 60_000_000)
        try await asked.store.administration.setDisabled(true, user: asked.ann, actor: "test")
        let rest = await connection.everything()
        #expect(rest.count < length)
        try await asked.harness.stop()
    }

    /// A user's zip files are bounded, and give their places back.
    @Test func boundsZipFilesAtATime() throws {
        let use = ZipUse(maxEntries: 10, maxOfUser: 2)
        var shares = [try use.share(of: 1), try use.share(of: 1)]
        #expect(throws: RequestError.self) { try use.share(of: 1) }
        try shares[0].add(entries: 7)
        #expect(throws: RequestError.self) { try shares[1].add(entries: 4) }
        let other = try use.share(of: 2)
        try other.add(entries: 3)
        shares.removeFirst()
        try shares[0].add(entries: 7)
        _ = try use.share(of: 1)
    }

    /// A message that retention took away leaves its text in the library.
    @Test func holdsTheTextOfMailThatIsKeptNoLonger() async throws {
        let asked = try await Asked()
        let (target, email) = (asked.target, asked.harness.people.email)
        // Its mail is received now, and nothing is kept for no days.
        try await eventually {
            _ = try await asked.store.maintenance.applyRetention(rawDays: 0)
            return (try? await asked.store.library.rawMessage(of: email, of: asked.ann)) == nil
        }
        let connection = try RawHTTPConnection(port: asked.harness.port)
        await connection.send(
            "GET \(target)?items=email:\(email) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                + "Authorization: Bearer \(asked.token)\r\n\r\n")
        let answer = String(decoding: await connection.everything(), as: UTF8.self)
        // Its size is not known before.
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.lowercased().contains("transfer-encoding: chunked"))
        #expect(answer.contains(" [Fund1] first.txt") && answer.contains("\n\nbody of first\n"))
        #expect(answer.contains("From: ann@example.com\n") && answer.hasSuffix("\r\n0\r\n\r\n"))
        try await asked.harness.stop()
    }
}
