import FundStore
import Foundation
import FundCore
import Testing
import TestSupport

@testable import FundHTTP
@testable import FundServer

struct DAVFileTests {
    @Test func putsAndReplaces() async throws {
        let harness = try await DAVHarness()
        let new = try await harness.send("PUT", "Fund1/Report.PDF", ["Content-Type": "application/octet-stream"], "one")
        #expect(new.status == 201)
        let before = try #require(
            try await harness.store.library.item(at: ["Fund1", "report.pdf"], of: harness.ann.id))
        // The name that is there stays; names are compared without regard to case.
        let again = try await harness.send("PUT", "fund1/report.pdf", [:], "two")
        #expect(again.status == 204)
        #expect(again["etag"] != new["etag"])
        let after = try #require(try await harness.store.library.item(at: ["Fund1", "report.pdf"], of: harness.ann.id))
        #expect(after.itemID == before.itemID)
        #expect(after.name == "Report.PDF")
        let got = try await harness.send("GET", "Fund1/REPORT.pdf")
        #expect(got.text == "two")
        #expect(got["etag"] == again["etag"])
        #expect(got["content-type"] == "application/pdf")
        #expect(got["x-content-type-options"] == "nosniff")
        #expect(try await harness.send("GET", "Fund1/report.pdf", ["Range": "bytes=1-"]).text == "wo")
        #expect(try await harness.send("HEAD", "Fund1/report.pdf")["content-length"] == "3")
        try await harness.server.stop()
    }

    private static let conditions: [(fields: [String: String], path: String, status: Int)] = [
        (["If-None-Match": "*"], "Fund1/there", 412), (["If-None-Match": "*"], "Fund1/new", 201),
        (["If-Match": "*"], "Fund1/there", 204), (["If-Match": "*"], "Fund1/new", 412),
        (["If-Match": "\"x\""], "Fund1/there", 412), (["If-Match": "\"x\""], "Fund1/new", 412),
        (["If-Match": "TAG"], "Fund1/there", 204), (["If-Match": "W/TAG"], "Fund1/there", 412),
        (["If-Match": "\"x\", TAG"], "Fund1/there", 204), (["If-None-Match": "TAG"], "Fund1/there", 412),
        (["If-None-Match": "W/TAG"], "Fund1/there", 412), (["If-None-Match": "\"x\""], "Fund1/there", 204),
        (["If": "([TAG])"], "Fund1/there", 204), (["If": "([\"x\"])"], "Fund1/there", 412),
        (["If": "(Not [TAG])"], "Fund1/there", 412), (["If": "(Not <urn:x>)"], "Fund1/new", 201),
        (["If": "</dav/Fund1/there> ([TAG])"], "Fund1/new", 201),
        (["If": "</dav/Fund1/there> ([\"x\"])"], "Fund1/new", 412),
        (["If": "<http://elsewhere/dav/Fund1/there> ([TAG])"], "Fund1/new", 412),
        (["If": "nonsense"], "Fund1/new", 400),
        (["If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"], "Fund1/there", 412),
        (["If-Unmodified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"], "Fund1/there", 204),
        (["If-Unmodified-Since": "yesterday"], "Fund1/there", 204),
        (["If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"], "Fund1/new", 201),
        (["If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT", "If-Match": "TAG"], "Fund1/there", 204),
        (["X-OC-Mtime": "soon"], "Fund1/there", 204), (["X-OC-Mtime": "-1"], "Fund1/there", 204),
        (["X-OC-Mtime": "99999999999999999999"], "Fund1/there", 204),
        (["Content-Range": "bytes 0-0/5"], "Fund1/there", 400), ([:], "Fund1/no/new", 409), ([:], "None/new", 409),
        ([:], "Fund1/there/new", 409), ([:], "new", 403), ([:], "Fund1", 405), ([:], "Fund1/", 405), ([:], "", 405),
        ([:], "Fund1/new/", 409), ([:], "Fund1/a%5Cb", 400), ([:], "Fund1/a%5C%CC%81b", 400),
        ([:], "Fund1/" + String(repeating: "x", count: 255), 201),
        ([:], "Fund1/" + String(repeating: "x", count: 256), 400), ([:], "Fund1/.DS_Store", 201),
        ([:], "Fund1/._there", 201),
        ([:], "Fund1/%F0%9F%98%80%20%26%3C", 201),
    ]

    @Test func checksBeforeItWrites() async throws {
        let harness = try await DAVHarness()
        for example in Self.conditions {
            let tag = try #require(try await harness.send("PUT", "Fund1/there", [:], "one")["etag"])
            let fields = example.fields.mapValues { $0.replacing("TAG", with: tag) }
            let status = try await harness.status("PUT", example.path, fields, "new")
            #expect(status == example.status, "\(example)")
            let text = try await harness.send("GET", "Fund1/there").text
            #expect(text == (status == 204 ? "new" : "one"))
            if status == 201 { #expect(try await harness.status("DELETE", example.path) == 204) }
        }
        try await harness.server.stop()
    }

    /// Whatever time a program has for a file, it is kept, or the nearest that a date can say.
    @Test(arguments: [
        ("-1.5", "Wed, 31 Dec 1969 23:59:58 GMT"), ("9223372037", "Fri, 11 Apr 2262 23:47:17 GMT"),
        ("32503680000", "Wed, 01 Jan 3000 00:00:00 GMT"), ("99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func keepsTimesFarAway(_ sent: String, date: String) async throws {
        let harness = try await DAVHarness()
        let put = try await harness.send("PUT", "Fund1/a", ["X-OC-Mtime": sent], "x")
        #expect(put["x-oc-mtime"] == "accepted")
        #expect(try await harness.send("HEAD", "Fund1/a")["last-modified"] == date)
        try await harness.server.stop()
    }

    /// Two contents may come in one second, or with the same time from their owner: a date says nothing of bytes.
    @Test func goesOnWithADownloadByTagsOnly() async throws {
        let harness = try await DAVHarness()
        let time = ["X-OC-Mtime": "1000000000"]
        let put = try await harness.send("PUT", "Fund1/a", time, "0123456789")
        #expect(put["x-oc-mtime"] == "accepted")
        let first = try await harness.send("GET", "Fund1/a")
        let date = try #require(first["last-modified"])
        #expect(date == "Sun, 09 Sep 2001 01:46:40 GMT")
        let tag = try #require(first["etag"])
        _ = try await harness.send("PUT", "Fund1/a", time, "abcdefghij")
        #expect(try await harness.send("HEAD", "Fund1/a")["last-modified"] == date)
        for condition in [date, tag] {
            let rest = try await harness.send("GET", "Fund1/a", ["Range": "bytes=5-", "If-Range": condition])
            #expect(rest.status == 200)
            #expect(rest.text == "abcdefghij")
        }
        // Ranges are for GET alone.
        let head = try await harness.send("HEAD", "Fund1/a", ["Range": "bytes=5-"])
        #expect(head.status == 200)
        #expect(head["content-length"] == "10")
        try await harness.server.stop()
    }

    /// A backup that links the segment changes its inode and none of its bytes.
    @Test func goesOnSendingWhatIsLinkedMeanwhile() async throws {
        let harness = try await DAVHarness()
        let bytes = [UInt8](repeating: 7, count: 32_000_000)
        let fields = "Host: x\r\nAuthorization: \(DAVHarness.basic("dav@example.com", harness.password))\r\n"
        let put = try RawHTTPConnection(port: harness.server.port)
        await put.send(
            Array("PUT /dav/Fund1/large HTTP/1.1\r\n\(fields)Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes)
        let etag = try #require(await put.response()?["etag"])
        let get = try RawHTTPConnection(port: harness.server.port)
        await get.send("GET /dav/Fund1/large HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n")
        // The kernel takes a few megabytes without a reader: the rest is not sent yet.
        #expect(await get.hasInput(within: .seconds(60)))
        let digest = try #require(ContentDigest(hex: etag.filter { $0 != "\"" }))
        let record = try harness.store.record(of: digest)
        #expect(link(record.path, harness.server.folder + "/backup") == 0)
        let got = try #require(await get.response())
        #expect(!got.isCut)
        #expect(Data(got.body) == Data(bytes))
        #expect(
            try await harness.store.administration.audit(AuditFilter(), PageQuery(limit: 100)).items.allSatisfy {
                $0.action != "blob.damaged"
            })
        try await harness.server.stop()
    }

    /// Half a file is never seen, and nothing stays of it.
    @Test func leavesNothingOfACutUpload() async throws {
        let harness = try await DAVHarness()
        let head =
            "PUT /dav/Fund1/cut HTTP/1.1\r\nHost: x\r\nAuthorization: "
            + DAVHarness.basic("dav@example.com", harness.password)
        for framing in ["Content-Length: 3000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n200000\r\n"] {
            let connection = try RawHTTPConnection(port: harness.server.port)
            await connection.send("\(head)\r\n\(framing)")
            await connection.send([UInt8](repeating: 65, count: 1_000_000))
            connection.finishSending()
            _ = await connection.everything()
        }
        let temporary = harness.server.folder + "/store/tmp"
        #expect(try await becomesTrue { try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty })
        #expect(try await harness.ls("Fund1/").isEmpty)
        try await harness.server.stop()
    }

    @Test func boundsTheSizeOfUploads() async throws {
        var limits = ServerLimits()
        limits.maxUploadBytes = 10
        let harness = try await DAVHarness(limits: limits)
        #expect(try await harness.status("PUT", "Fund1/a", [:], String(repeating: "x", count: 11)) == 413)
        #expect(try await harness.status("PUT", "Fund1/a", [:], String(repeating: "x", count: 10)) == 201)
        try await harness.server.stop()
    }

    @Test func oneOfManyWins() async throws {
        let harness = try await DAVHarness()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<8 {
                group.addTask { try await harness.status("PUT", "Fund1/one", ["If-None-Match": "*"], "\(index)") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [201, 412, 412, 412, 412, 412, 412, 412])
        try await harness.server.stop()
    }

    /// The condition is looked at in the transaction that writes, whichever face the others come through.
    @Test func oneOfManyFacesWins() async throws {
        let harness = try await DAVHarness()
        let fund = try #require(try await harness.store.library.funds(of: harness.ann.id).first)
        for round in 0..<5 {
            let name = "one\(round)"
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<6 {
                    group.addTask {
                        try await harness.status("PUT", "Fund1/\(name)", ["If-None-Match": "*"], "dav \(index)") == 201
                    }
                    group.addTask {
                        let upload = try harness.store.library.makeUpload(named: name, announcing: nil)
                        try Array("other \(index)".utf8).withUnsafeBytes { try upload.append($0) }
                        let target = FileTarget(name, in: LibraryPlace(fund: fund.id), ifTaken: .refuse)
                        let file = try? await harness.store.library.addFile(
                            try upload.finish(contentType: "text/plain"), at: target, of: harness.ann.id)
                        return file != nil
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(made == 1)
        }
        #expect(try await harness.store.library.deletedItems(of: harness.ann.id).isEmpty)
        try await harness.server.stop()
    }

    @Test func deletesRecoverably() async throws {
        let harness = try await DAVHarness()
        #expect(try await harness.status("MKCOL", "Fund1/box/") == 201)
        #expect(try await harness.status("PUT", "Fund1/box/a", [:], "a") == 201)
        #expect(try await harness.status("DELETE", "Fund1/box/", ["Depth": "0"]) == 400)
        #expect(try await harness.status("DELETE", "Fund1/box/") == 204)
        #expect(try await harness.status("GET", "Fund1/box/a") == 404)
        #expect(try await harness.status("DELETE", "Fund1/box/") == 404)
        let deleted = try await harness.store.library.deletedItems(of: harness.ann.id)
        #expect(deleted.map(\.name) == ["box"])
        _ = try await harness.store.library.restore(try #require(deleted.first).itemID, of: harness.ann.id)
        #expect(try await harness.send("GET", "Fund1/box/a").text == "a")
        #expect(try await harness.status("DELETE", "Fund1/") == 204)
        #expect(try await harness.ls("").isEmpty)
        #expect(try await harness.status("DELETE", "") == 403)
        try await harness.server.stop()
    }

    /// RFC 4918 §9.6.1 and §9.9.2 are about collections.
    @Test func aFileHasNoDepth() async throws {
        let harness = try await DAVHarness()
        for depth in ["0", "1", "infinity"] {
            _ = try await harness.send("PUT", "Fund1/a", [:], "a")
            #expect(try await harness.transfer("COPY", "Fund1/a", to: "Fund1/b", ["Depth": depth]) == 201)
            #expect(try await harness.transfer("MOVE", "Fund1/a", to: "Fund1/c", ["Depth": depth]) == 201)
            for path in ["Fund1/b", "Fund1/c"] {
                #expect(try await harness.status("DELETE", path, ["Depth": depth]) == 204)
            }
        }
        #expect(try await harness.status("DELETE", "Fund1/a", ["Depth": "2"]) == 400)
        try await harness.server.stop()
    }

    /// Explorer that asks for `a.` gets `a`: it would overwrite and delete another file.
    @Test func makesNoNamesThatWindowsTakesForOthers() async throws {
        let harness = try await DAVHarness()
        let fund = try #require(try await harness.store.library.funds(of: harness.ann.id).first)
        _ = try await harness.send("PUT", "Fund1/a", [:], "a")
        for name in ["a.", "a%20", "a.%20.", "...", "CON", "con.txt", "Com1.pdf", "NUL%20.x", "LPT%C2%B9"] {
            #expect(try await harness.status("PUT", "Fund1/\(name)", [:], "x") == 403, "\(name)")
            #expect(try await harness.status("MKCOL", "Fund1/\(name)/") == 403, "\(name)")
            #expect(try await harness.status("MKCOL", "\(name)/") == 403, "\(name)")
            #expect(try await harness.status("LOCK", "Fund1/\(name)", [:], DAVHarness.lockBody()) == 403, "\(name)")
            for method in ["COPY", "MOVE"] {
                #expect(try await harness.transfer(method, "Fund1/a", to: "Fund1/\(name)") == 403, "\(method) \(name)")
            }
        }
        for name in ["console", "com.txt", ".hidden", "a.b", "%20a", "COM12"] {
            #expect(try await harness.status("PUT", "Fund1/\(name)", [:], "x") == 201, "\(name)")
        }
        // A file that came by another way stays reachable.
        let upload = try harness.store.library.makeUpload(named: "b.", announcing: nil)
            .finish(contentType: "text/plain")
        let target = FileTarget("b.", in: LibraryPlace(fund: fund.id), ifTaken: .refuse)
        _ = try await harness.store.library.addFile(upload, at: target, of: harness.ann.id)
        #expect(try await harness.ls("Fund1/").contains("/dav/Fund1/b."))
        #expect(try await harness.status("PUT", "Fund1/b.", [:], "new") == 204)
        #expect(try await harness.send("GET", "Fund1/b.").text == "new")
        #expect(try await harness.transfer("MOVE", "Fund1/b.", to: "Fund1/c") == 201)
        try await harness.server.stop()
    }

    @Test func makesCollections() async throws {
        let harness = try await DAVHarness()
        let cases: [(path: String, body: String, status: Int)] = [
            ("Fund2/", "", 201), ("Fund2", "", 405), ("FUND1/", "", 405), ("Fund1/a", "", 201), ("Fund1/a/b/", "", 201),
            ("Fund1/c/d/", "", 409), ("Fund1/e/", "<x/>", 415), ("", "", 405), ("Fund1/%5C/", "", 400),
        ]
        for (path, body, status) in cases {
            #expect(try await harness.status("MKCOL", path, [:], body) == status, "\(path)")
        }
        _ = try await harness.send("PUT", "Fund1/file", [:], "x")
        #expect(try await harness.status("MKCOL", "Fund1/file/") == 405)
        #expect(try await harness.status("MKCOL", "Fund1/file/x/") == 409)
        try await harness.server.stop()
    }

    /// Whatever a name holds, a browser shows it as text.
    @Test func listsForPeople() async throws {
        let harness = try await DAVHarness()
        _ = try await harness.send("PUT", "Fund1/%3Cimg%20src=x%20onerror=alert(1)%3E", [:], "x")
        let page = try await harness.send("GET", "Fund1")
        #expect(page.status == 200)
        #expect(page["content-location"] == "/dav/Fund1/")
        #expect(page.text.contains("&lt;img src=x onerror=alert(1)&gt;"))
        #expect(!page.text.contains("<img"))
        #expect(page["content-security-policy"]?.contains("sandbox") == true)
        #expect(try await harness.send("HEAD", "Fund1/").status == 200)
        #expect(try await harness.send("GET", "").text.contains("Fund1/"))
        try await harness.server.stop()
    }
}
