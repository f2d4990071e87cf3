internal import Foundation
import FundStore
import FundCore
import Logging
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// The rules of draft-ietf-httpbis-resumable-upload-12, section by section, as a client meets them.
struct ResumableUploadTests {
    /// §4.2 to §4.4, with sizes around those at which the store keeps bytes in another way.
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 1_048_575, 1_048_576, 1_048_577, 3_000_000])
    func comesInPieces(_ size: Int) async throws {
        let client = try await UploadClient()
        let bytes = patternBytes(size)
        let address = try await client.begin("a.bin", Array(bytes.prefix(size / 3)), length: size)
        let head = try await client.send("HEAD", address)
        #expect(head.status == 200 && head["upload-offset"] == "\(size / 3)" && head["upload-complete"] == "?0")
        #expect(head["upload-length"] == "\(size)" && head["cache-control"] == "no-store")
        #expect(head["upload-limit"]?.contains("max-age=") == true)
        let second = try await client.append(
            address, at: size / 3, Array(bytes[(size / 3)..<(size / 2)]), isComplete: false)
        #expect(second.status == 204 && second["upload-complete"] == "?0" && second["upload-offset"] == "\(size / 2)")
        #expect(try await client.files()["a.bin"] == nil)
        let last = try await client.append(address, at: size / 2, Array(bytes[(size / 2)...]), isComplete: true)
        try #require(last.status == 201, "\(last.text)")
        let file = try #require(try await client.files()["a.bin"])
        #expect(last["upload-complete"] == "?1" && last["location"] == "/api/v1/files/\(file.id)")
        #expect(file.size == size && file.digest == .of(bytes) && file.contentType == "text/plain")
        #expect(try UploadClient.object(last)["sha256"] as? String == ContentDigest.of(bytes).hex)
        let content = try await client.send("GET", "/api/v1/files/\(file.id)/content")
        #expect(content.body == bytes)
        // §4.1.2 and "Responses to Uploads": complete, and which file it is.
        let done = try await client.send("HEAD", address)
        #expect(done["upload-complete"] == "?1" && done["upload-offset"] == "\(size)")
        #expect(done["content-location"] == "/api/v1/files/\(file.id)")
        let again = try await client.send("GET", address)
        #expect(try again.status == 200 && UploadClient.object(again)["id"] as? Int == Int(file.id.rawValue))
        let answer = try await client.append(address, at: size, [], isComplete: true)
        #expect(answer.status == 201 && answer.body == last.body)
        let more = try await client.append(address, at: size, [1], isComplete: true)
        #expect(more.status == 400 && more.text.contains("http-problem-types#completed-upload"))
        #expect(try await client.files().count == 1 + client.harness.people.parts.count)
        #expect(try client.openFiles.isEmpty)
        try await client.harness.stop()
    }

    /// §4.4.2: a wrong offset changes nothing and says the right one.
    @Test func refusesWrongOffsets() async throws {
        let client = try await UploadClient()
        let address = try await client.begin("a", patternBytes(10), length: 20)
        for offset in [0, 9, 11, 20, 1_000_000] {
            let response = try await client.append(address, at: offset, patternBytes(1), isComplete: false)
            #expect(response.status == 409 && response["upload-offset"] == "10")
            let problem = try UploadClient.object(response)
            #expect(
                problem["type"] as? String
                    == "https://iana.org/assignments/http-problem-types#mismatching-upload-offset")
            #expect(problem["expected-offset"] as? Int == 10 && problem["provided-offset"] as? Int == offset)
        }
        for (fields, status) in [
            (["Content-Type": "application/partial-upload", "Upload-Complete": "?1"], 400),
            (["Content-Type": "application/partial-upload", "Upload-Offset": "10"], 400),
            (["Content-Type": "application/partial-upload", "Upload-Offset": "-1", "Upload-Complete": "?1"], 400),
            (["Content-Type": "application/partial-upload", "Upload-Offset": "1 0", "Upload-Complete": "?1"], 400),
            (["Content-Type": "application/partial-upload", "Upload-Offset": "10", "Upload-Complete": "1"], 400),
            (["Content-Type": "text/plain", "Upload-Offset": "10", "Upload-Complete": "?1"], 415),
        ] {
            let response = try await client.send("PATCH", address, fields, patternBytes(10))
            #expect(response.status == status, "\(fields)")
            if status == 415 { #expect(response["accept-patch"] == "application/partial-upload") }
        }
        #expect(try await client.send("HEAD", address)["upload-offset"] == "10")
        try await client.harness.stop()
    }

    /// §4.1.3.
    @Test func refusesLengthsThatDoNotFit() async throws {
        let client = try await UploadClient()
        func begin(_ fields: [String: String], _ count: Int) async throws -> RawHTTPResponse {
            try await client.send(
                "POST", "/api/v1/funds/\(client.fund)/files?name=a",
                ["Content-Type": "text/plain"].merging(fields) { $1 }, patternBytes(count))
        }
        let draft = ["Upload-Draft-Interop-Version": "8"]
        for (fields, count) in [
            (["Upload-Complete": "?1", "Upload-Length": "9"].merging(draft) { $1 }, 10),
            (["Upload-Complete": "?1", "Upload-Length": "11"].merging(draft) { $1 }, 10),
            (["Upload-Complete": "?0", "Upload-Length": "9"], 10),
        ] {
            let response = try await begin(fields, count)
            #expect(response.status == 400 && response.text.contains("#inconsistent-upload-length"), "\(fields)")
        }
        let large = try await begin(["Upload-Complete": "?0", "Upload-Length": "999999999999999"], 1)
        #expect(large.status == 413 && large["upload-limit"]?.hasPrefix("max-size=") == true)
        let address = try await client.begin("b", patternBytes(10), length: 20)
        let other = try await client.append(address, at: 10, [], isComplete: false, ["Upload-Length": "21"])
        #expect(other.status == 400)
        let short = try await client.append(address, at: 10, patternBytes(5), isComplete: true)
        #expect(short.status == 400)
        #expect(try await client.send("HEAD", address)["upload-offset"] == "10")
        // More than was said, in a body without a length: the upload is no more.
        let connection = try RawHTTPConnection(port: client.harness.port)
        await connection.send(
            "PATCH \(address) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(client.token)\r\nUpload-Offset: 10\r\n"
                + "Upload-Complete: ?1\r\nContent-Type: application/partial-upload\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n"
                + "a\r\n0123456789\r\n1\r\nx\r\n0\r\n\r\n")
        #expect(await connection.response()?.status == 400)
        #expect(try await client.files()["b"] == nil)
        try await client.harness.stop()
    }

    /// §4.2.2 and the appendix on versions: only a client that knows this draft is told before the end. It goes on
    /// with what came of a cut request.
    @Test func tellsTheAddressBeforeTheEnd() async throws {
        let client = try await UploadClient()
        let bytes = patternBytes(2_000_000)
        func begin(_ version: String?) async throws -> RawHTTPConnection {
            let connection = try RawHTTPConnection(port: client.harness.port)
            let field = version.map { "Upload-Draft-Interop-Version: \($0)\r\n" } ?? ""
            await connection.send(
                "POST /api/v1/funds/\(client.fund)/files?name=a HTTP/1.1\r\nHost: a\r\n\(field)"
                    + "Authorization: Bearer \(client.token)\r\nContent-Type: text/plain\r\nUpload-Complete: ?1\r\n"
                    + "Content-Length: \(bytes.count)\r\n\r\n")
            return connection
        }
        for version in [nil, "6", "x"] {
            let plain = try await begin(version)
            await plain.send(bytes)
            let response = await plain.response()
            #expect(response?.status == 201 && response?["upload-complete"] == nil)
            let file = try #require(try await client.files()["a"])
            try await client.harness.store.library.delete(.file(file.id), of: client.ann)
        }
        let connection = try await begin("8")
        let interim = try #require(await connection.response())
        #expect(interim.status == 104 && interim["upload-draft-interop-version"] == "8")
        #expect(interim["upload-limit"]?.hasPrefix("max-size=") == true && interim["content-length"] == nil)
        let address = try #require(interim["location"])
        await connection.send(Array(bytes.prefix(1_234_567)))
        // Until it has read them: what stands in the socket is lost with the connection.
        try await eventually { try client.stagedBytes > 1_000_000 }
        connection.finishSending()
        #expect(await connection.isClosed(within: .seconds(60)))
        let head = try await client.send("HEAD", address)
        #expect(head["upload-complete"] == "?0" && head["upload-length"] == "\(bytes.count)")
        let offset = try #require(head["upload-offset"].flatMap { Int($0) })
        #expect(offset > 1_000_000 && offset <= 1_234_567)
        let last = try await client.append(address, at: offset, Array(bytes[offset...]), isComplete: true)
        #expect(last.status == 201)
        #expect(try await client.files()["a"]?.digest == .of(bytes))
        // In one piece: the answer is the file's.
        let whole = try await begin("8")
        await whole.send(bytes)
        #expect(await whole.response()?.status == 104)
        #expect(await whole.response()?.status == 409)
        try await client.harness.stop()
    }

    /// §4.1.4.
    @Test func saysWhatItTakes() async throws {
        let client = try await UploadClient()
        let file = try #require(try await client.files().values.first)
        let address = try await client.begin("a")
        for target in ["/api/v1/funds/\(client.fund)/files", "/api/v1/files/\(file.id)/content", address] {
            let response = try await client.send("OPTIONS", target)
            #expect(response["accept-patch"] == "application/partial-upload")
            #expect(response["upload-limit"]?.hasPrefix("max-size=") == true)
        }
        #expect(try await client.send("OPTIONS", "/api/v1/files/\(file.id)")["accept-patch"] == nil)
        try await client.harness.stop()
    }

    /// The name, and whether a file is still the same, are decided at the end.
    @Test func looksAgainAtTheEnd() async throws {
        let client = try await UploadClient()
        let (first, second) = (
            try await client.begin("a", patternBytes(5)), try await client.begin("a", patternBytes(6))
        )
        let third = try await client.begin("a", patternBytes(7), query: "&if_taken=number")
        #expect(try await client.append(first, at: 5, [], isComplete: true).status == 201)
        let taken = try await client.append(second, at: 6, [], isComplete: true)
        #expect(taken.status == 409 && taken["upload-complete"] == "?1")
        #expect(try await client.send("HEAD", second).status == 404)
        #expect(try await client.append(third, at: 7, [], isComplete: true).status == 201)
        let file = try #require(try await client.files()["a"])
        #expect(try await client.files()["a(1)"]?.size == 7)

        func replace(_ condition: String, _ bytes: [UInt8]) async throws -> RawHTTPResponse {
            try await client.send(
                "PUT", "/api/v1/files/\(file.id)/content",
                ["Content-Type": "image/png", "Upload-Complete": "?0", "If-Match": condition], bytes)
        }
        #expect(try await replace("\"x\"", [1]).status == 412)
        let tag = file.digest.entityTag
        let one = try #require(try await replace(tag, patternBytes(8))["location"])
        let two = try #require(try await replace(tag, patternBytes(9))["location"])
        let any = try #require(try await replace("*", patternBytes(11))["location"])
        let done = try await client.append(one, at: 8, patternBytes(1, from: 8), isComplete: true)
        #expect(done.status == 200 && done["etag"] == ContentDigest.of(patternBytes(9)).entityTag)
        #expect(try UploadClient.object(done)["id"] as? Int == Int(file.id.rawValue))
        let changed = try await client.append(two, at: 9, [], isComplete: true)
        #expect(changed.status == 412 && changed["upload-complete"] == "?1")
        #expect(try await client.append(any, at: 11, [], isComplete: true).status == 200)
        #expect(try await client.files()["a"]?.digest == .of(patternBytes(11)))
        try await client.harness.stop()
    }

    /// Another user's upload is none, and so is one into a fund that its user has no more.
    @Test func belongsToItsUserAndFund() async throws {
        let client = try await UploadClient()
        let address = try await client.begin("a", patternBytes(3))
        for user in [client.harness.people.bea, client.harness.people.root] {
            let token = try await client.harness.token(of: user)
            for method in ["GET", "HEAD", "DELETE"] {
                #expect(try await client.send(method, address, token: token).status == 404)
            }
            #expect(try await client.append(address, at: 3, [], isComplete: true, token: token).status == 404)
        }
        for name in ["x", "0", String(repeating: "0", count: 32), String(address.suffix(32).uppercased() + "0")] {
            #expect(try await client.send("HEAD", "/api/v1/uploads/\(name)").status == 404)
        }
        try await client.harness.store.library.deleteFund(client.fund, of: client.ann)
        #expect(try await client.send("HEAD", address).status == 404)
        #expect(try await client.append(address, at: 3, [], isComplete: true).status == 404)
        _ = try await client.harness.store.library.restore(.fund(client.fund), of: client.ann)
        #expect(try await client.append(address, at: 3, [], isComplete: true).status == 201)
        try await client.harness.stop()
    }

    /// §4.5.
    @Test func canBeGivenUp() async throws {
        let client = try await UploadClient()
        let address = try await client.begin("a", patternBytes(2_000_000))
        #expect(try client.openFiles.count == 1)
        #expect(try await client.send("DELETE", address).status == 204)
        #expect(try client.openFiles.isEmpty)
        #expect(try await client.send("HEAD", address).status == 404)
        #expect(try await client.send("DELETE", address).status == 404)
        try await client.harness.stop()
    }

    /// §4.6: a later request ends an earlier one whose bytes do not come.
    @Test func endsEarlierRequests() async throws {
        let client = try await UploadClient()
        let bytes = patternBytes(1_500_000)
        let address = try await client.begin("a", Array(bytes.prefix(1000)))
        for round in 0..<6 {
            let connection = try RawHTTPConnection(port: client.harness.port)
            let offset = 1000 + round * 100
            await connection.send(
                "PATCH \(address) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(client.token)\r\n"
                    + "Upload-Offset: \(offset)\r\nUpload-Complete: ?1\r\n"
                    + "Content-Type: application/partial-upload\r\n"
                    + "Content-Length: \(bytes.count - offset)\r\n\r\n")
            await connection.send(Array(bytes[offset..<(offset + 100)]))
            // Its bytes wait in memory.
            try await eventually { client.harness.unwrittenBytes() == 100 }
            let head = try await client.send("HEAD", address)
            #expect(head.status == 200 && head["upload-offset"] == "\(offset + 100)")
            #expect(await connection.isClosed(within: .seconds(60)))
        }
        let offset = 1600
        async let all = withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (try? await client.append(address, at: offset, Array(bytes[offset...]), isComplete: true))?.status
                        ?? 0
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        // Requests that came too late were cut off, or got another offset.
        let statuses = await all
        #expect(statuses.allSatisfy { [0, 201, 400, 409].contains($0) }, "\(statuses)")
        let head = try await client.send("HEAD", address)
        if head["upload-complete"] == "?0" {
            let offset = try #require(head["upload-offset"].flatMap { Int($0) })
            #expect(
                try await client.append(address, at: offset, Array(bytes[offset...]), isComplete: true).status == 201)
        }
        #expect(try await client.files()["a"]?.digest == .of(bytes))
        #expect(try await client.files().count == 1 + client.harness.people.parts.count)
        try await client.harness.stop()
    }

    /// Incomplete uploads of a user are bounded; old ones go, but for one that has just grown.
    @Test func boundsAndSweeps() async throws {
        let client = try await UploadClient()
        let store = client.harness.store
        var addresses: [String] = []
        for index in 0..<100 { addresses.append(try await client.begin("\(index)", patternBytes(index))) }
        let refused = try await client.send(
            "POST", "/api/v1/funds/\(client.fund)/files?name=x",
            ["Content-Type": "text/plain", "Upload-Complete": "?0"], [])
        #expect(refused.status == 429 && refused["retry-after"] != nil)
        #expect(try await client.append(addresses[9], at: 9, [], isComplete: true).status == 201)
        _ = try await client.begin("x")
        #expect(try await store.maintenance.sweep() == 0)
        // After a restart nothing holds them open.
        try await client.harness.stop()
        let day = Duration.seconds(24 * 60 * 60)
        #expect(try await store.maintenance.sweep(now: .now + day - .seconds(100)) == 0)
        // A sweep holds none of those that go on: who asks for one meanwhile is not told that the store is busy.
        let sweeps = Task { for _ in 0..<20 { _ = try await store.maintenance.sweep() } }
        for address in addresses where address != addresses[9] {
            let key = try #require(UploadKey(String(address.suffix(32))))
            _ = try await store.library.uploadProgress(key, open: nil, of: client.ann)
        }
        try await sweeps.value
        #expect(try client.openFiles.count == 100)
        _ = try await store.maintenance.sweep(now: .now + day + .seconds(100))
        #expect(try client.openFiles.isEmpty)
        let key = try #require(UploadKey(String(addresses[9].suffix(32))))
        await #expect(throws: StoreError.self) { try await store.library.checkUpload(key, of: client.ann) }
        // A file without a row, as a process leaves that is killed before it has one.
        let litter = client.harness.folder + "/store/tmp/upload-\(UploadKey.random())"
        #expect(FileManager.default.createFile(atPath: litter, contents: Data([1])))
        #expect(try await store.maintenance.sweep() == 1)
    }

    /// A client sends faster than we write: the end has come long before it is read, and the connection goes on.
    @Test(.startsPrograms) func manyOverOneConnectionOfHTTP2() async throws {
        let authority = try TestAuthority.shared.get()
        let client = try await UploadClient(try .secure(authority))
        let sizes = [65_534, 65_535, 65_536, 4_259_838, 4_259_839, 4_259_840] + Array(repeating: 9_000_000, count: 14)
        var words = ["curl"]
        for (index, size) in sizes.enumerated() {
            let file = client.harness.folder + "/\(index)"
            try Data(patternBytes(size)).write(to: URL(fileURLWithPath: file))
            if index > 0 { words.append("--next") }
            words += [
                "-sS", "--http2", "--max-time", "60", "--cacert", authority.caFile, "-o", "/dev/null", "-w",
                "%{http_code} %{num_connects}\n", "-H", "Content-Type: text/plain", "-H", "Expect:", "-H",
                "Authorization: Bearer \(client.token)", "--data-binary", "@\(file)",
                "\(client.harness.baseURL)/api/v1/funds/\(client.fund)/files?name=\(index)",
            ]
        }
        let answers = try await offPool { [words] in try ToolRun.output(words) }
        #expect(answers == "201 1\n" + String(repeating: "201 0\n", count: sizes.count - 1))
        try await client.harness.stop()
    }

    /// Over HTTP/2, by a client of its own: no 104, which could end the connection; and a stream that is reset.
    @Test(.startsPrograms) func comesOverHTTP2() async throws {
        let authority = try TestAuthority.shared.get()
        let client = try await UploadClient(try .secure(authority))
        let (file, bytes) = (client.harness.folder + "/bytes", patternBytes(5_000_000))
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        func curl(_ words: [String]) async throws -> String {
            let all = ["curl", "-sS", "--max-time", "60", "--http2", "--cacert", authority.caFile, "-i"] + words
            return try await offPool { try ToolRun.output(all + ["-H", "Authorization: Bearer \(client.token)"]) }
        }
        let url = client.harness.baseURL
        let answer = try await curl([
            "-H", "Content-Type: text/plain", "-H", "Upload-Complete: ?1", "-H", "Upload-Draft-Interop-Version: 8",
            "--data-binary", "@\(file)", "\(url)/api/v1/funds/\(client.fund)/files?name=a",
        ])
        #expect(!answer.contains("HTTP/2 104") && answer.contains("HTTP/2 201"), "\(answer)")
        #expect(try await client.files()["a"]?.digest == .of(bytes))
        // Slowly, and broken off.
        let begun = try await curl([
            "-H", "Content-Type: text/plain", "-H", "Upload-Complete: ?0", "-H", "Upload-Length: \(bytes.count)", "-d",
            "", "\(url)/api/v1/funds/\(client.fund)/files?name=b",
        ])
        let location = try #require(begun.split(separator: "\r\n").first { $0.hasPrefix("location: ") })
        let address = url + location.dropFirst(10)
        _ = try? await curl([
            "-X", "PATCH", "-H", "Content-Type: application/partial-upload", "-H", "Upload-Complete: ?1", "-H",
            "Upload-Offset: 0", "--limit-rate", "2M", "--max-time", "1", "--data-binary", "@\(file)", address,
        ])
        let head = try await curl(["-I", address])
        let line = try #require(head.split(separator: "\r\n").first { $0.hasPrefix("upload-offset: ") })
        let offset = try #require(Int(line.dropFirst(15)))
        #expect(offset > 0 && offset < bytes.count)
        try Data(bytes[offset...]).write(to: URL(fileURLWithPath: file))
        let last = try await curl([
            "-X", "PATCH", "-H", "Content-Type: application/partial-upload", "-H", "Upload-Complete: ?1", "-H",
            "Upload-Offset: \(offset)", "--data-binary", "@\(file)", address,
        ])
        #expect(last.contains("HTTP/2 201"), "\(last)")
        #expect(try await client.files()["b"]?.digest == .of(bytes))
        try await client.harness.stop()
    }
}

extension ServerHarness.Options {
    /// Speaks TLS, so that clients may choose HTTP/2.
    fileprivate static func secure(_ authority: TestAuthority) throws -> Self {
        var options = Self()
        options.certificates = try CertificateSource(
            certificateFile: authority.certificatePath(.valid), keyFile: authority.keyPath(.valid),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        return options
    }
}
