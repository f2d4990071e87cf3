internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Downloads of what was sent before: their bytes come from where they stand in the store, without a check.
struct RegionTests {
    /// More than the sockets of a connection hold.
    private static let largeBytes = 16_000_000

    private struct Asked {
        let harness: ServerHarness
        let token: String
        let file: FileEntry
        let bytes: [UInt8]
        private let record: StoredRecord

        init(_ size: Int = 3_000_000, limits: ServerLimits = ServerLimits(), isWarm: Bool = true) async throws {
            var options = ServerHarness.Options()
            options.settings.limits = limits
            harness = try await ServerHarness(options)
            token = try await harness.token(of: harness.people.ann)
            var random = SeededGenerator(seed: UInt64(size))
            let words = (0..<(size + 7) / 8).map { _ in random.next() }
            bytes = Array(words.withUnsafeBytes { $0.prefix(size) })
            let path = "/api/v1/funds/\(harness.people.fund.id)/files?name=a.bin"
            let answer = try await harness.send(
                "POST", path, token: token, fields: ["Content-Type": "application/octet-stream"], body: bytes)
            guard answer.status == 201 else { throw ServerFailure("\(answer.status) \(answer.text)") }
            let place = LibraryPlace(fund: harness.people.fund.id)
            let items = try await harness.store.library.children(of: place, of: harness.people.ann.id)
            let files = items.compactMap { if case .file(let file) = $0 { file } else { nil } }
            guard let file = files.first(where: { $0.name == "a.bin" }) else { throw ServerFailure("no file") }
            self.file = file
            record = try harness.store.record(of: file.digest)
            guard isWarm else { return }
            let (harness, served) = (harness, harness.metrics.connections.servedBytes)
            _ = try await get()
            // Bytes are counted when the client has them.
            try await eventually { harness.metrics.connections.servedBytes >= served + size }
        }

        func request(_ fields: String = "") -> String {
            "GET /api/v1/files/\(file.id)/content HTTP/1.1\r\nHost: a\r\n"
                + "Authorization: Bearer \(token)\r\n\(fields)\r\n"
        }

        func get(_ fields: [String: String] = [:]) async throws -> RawHTTPResponse {
            try await harness.send("GET", "/api/v1/files/\(file.id)/content", token: token, fields: fields)
        }

        /// Deletes the file for good.
        func purge() async throws {
            let (store, ann) = (harness.store, harness.people.ann)
            try await store.library.delete(.file(file.id), of: ann.id)
            _ = try await store.maintenance.purgeDeleted(before: .now + .seconds(10))
        }

        /// Looks through the whole log only when they are gone from their place: this is asked often.
        func standsInLog() throws -> Bool {
            let some = 200_000..<201_000
            return try record.holds(bytes[some], at: some.lowerBound) || harness.store.logHolds(bytes[some])
        }
    }

    @Test(arguments: [1, 65_535, 65_536, 65_537, 262_144, 262_145, 1_048_576, 1_048_577, 5_000_003])
    func sendsTheSameBytesAgain(_ size: Int) async throws {
        let asked = try await Asked(size, isWarm: false)
        let served = asked.harness.metrics.connections.servedBytes
        for _ in 0..<3 {
            let answer = try await asked.get()
            #expect(answer.status == 200 && !answer.isCut && answer.body == asked.bytes)
        }
        // Bytes are counted when the client has them, those of the answer to the upload perhaps only now.
        try await eventually { 0..<10_000 ~= asked.harness.metrics.connections.servedBytes - (served + 3 * size) }
        for range in [0..<size, size / 3..<size, size / 3..<size / 3 + (size + 1) / 2, size - 1..<size] {
            let answer = try await asked.get(["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"])
            #expect(answer.status == 206 && answer.body == Array(asked.bytes[range]), "\(range)")
        }
        try await eventually { asked.harness.metrics.connections.unsentBytes == 0 }
        try await asked.harness.stop()
    }

    /// Answers keep their order, and so do their parts.
    @Test func answersOneAfterTheOther() async throws {
        let asked = try await Asked()
        let connection = try RawHTTPConnection(port: asked.harness.port)
        let ranges = [0..<3_000_000, 5..<10, 100_000..<2_500_000, 0..<70_000]
        let requests = ranges.map { asked.request("Range: bytes=\($0.lowerBound)-\($0.upperBound - 1)\r\n") }
        await connection.send(requests.joined() + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        for range in ranges { #expect(await connection.response()?.body == Array(asked.bytes[range])) }
        #expect(await connection.response()?.status == 200)
        try await asked.harness.stop()
    }

    /// HTTP/1.0, and a connection that ends with the response.
    @Test func endsWithTheResponse() async throws {
        let asked = try await Asked()
        for request in [
            asked.request("Connection: close\r\n"), asked.request().replacing("HTTP/1.1", with: "HTTP/1.0"),
        ] {
            let connection = try RawHTTPConnection(port: asked.harness.port)
            await connection.send(request)
            #expect(await connection.response()?.body == asked.bytes)
            #expect(await connection.isClosed(within: .seconds(30)))
        }
        try await asked.harness.stop()
    }

    /// Clients that go away leave neither descriptors nor locks.
    @Test func leavesNothingOfAClientThatGoes() async throws {
        let asked = try await Asked(Self.largeBytes)
        for _ in 0..<20 {
            let connection = try RawHTTPConnection(port: asked.harness.port)
            await connection.send(asked.request())
            #expect(await connection.text(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        }
        try await eventually {
            asked.harness.metrics.connections.openConnections == 0 && asked.harness.metrics.connections.unsentBytes == 0
        }
        #expect(asked.harness.metrics.connections.requestsInFlight == 0)
        #expect(try await asked.get().body == asked.bytes)
        #expect(try asked.standsInLog())
        try await asked.purge()
        try await eventually {
            _ = try await asked.harness.store.maintenance.sweep()
            return try !asked.standsInLog()
        }
        try await asked.harness.stop()
    }

    @Test func cutsOffAClientThatTakesNothing() async throws {
        var limits = ServerLimits()
        limits.sendStall = .seconds(2)
        let asked = try await Asked(Self.largeBytes, limits: limits)
        let connection = try RawHTTPConnection(port: asked.harness.port)
        await connection.send(asked.request())
        try await eventually { asked.harness.metrics.connections.refusalCounts[.stalled] == 1 }
        try await eventually {
            asked.harness.metrics.connections.openConnections == 0 && asked.harness.metrics.connections.unsentBytes == 0
        }
        try await asked.harness.stop()
    }

    /// A file that is purged while it is sent ends early, or comes as it was: no zeros of a hole are in it.
    @Test(arguments: [300_000, 2_000_000, largeBytes])
    func neverSendsAHole(_ size: Int) async throws {
        let asked = try await Asked(size)
        let served = asked.harness.metrics.connections.servedBytes
        let connection = try RawHTTPConnection(port: asked.harness.port)
        await connection.send(asked.request("Connection: close\r\n"))
        try await eventually { asked.harness.metrics.connections.servedBytes > served }
        try await asked.purge()
        #expect(try await asked.get().status == 404)
        // While the client has it, reclaiming leaves the segment alone: another process could not do it later.
        _ = try await asked.harness.store.maintenance.sweep()
        let answer = Data(await connection.everything())
        let head = try #require(answer.firstRange(of: Data("\r\n\r\n".utf8)))
        let body = Array(answer[head.upperBound...])
        #expect(body.count >= 262_144 && asked.bytes.starts(with: body), "\(body.count) bytes of \(size)")
        let last = try await asked.harness.store.administration.audit(AuditFilter(), PageQuery(limit: 1)).items.first
        #expect(last?.action != "blob.damaged")
        // Nothing uses them now, or in a moment, when the kernel has the client's word that it got them.
        try await eventually {
            _ = try await asked.harness.store.maintenance.sweep()
            return try !asked.standsInLog()
        }
        try await asked.harness.stop()
    }

    /// Damage that comes when the bytes are not in memory: they are looked at when they come from the disk.
    @Test func checksWhatComesFromTheDiskAgain() async throws {
        let asked = try await Asked()
        let record = try asked.harness.store.record(of: asked.file.digest)
        try record.damage(at: 2_000_000)
        guard PageCache.letGo(of: record.path) else { return }
        for _ in 0..<2 {
            let answer = try await asked.get()
            #expect(answer.isCut && answer.body.count <= 2_000_000 && asked.bytes.starts(with: answer.body))
        }
        try await asked.harness.stop()
    }
}
