import Foundation
import FundCore
import TestSupport
import Testing

/// The server dies by SIGKILL, and lines are cut, while uploads come that can be resumed. The next server goes on with
/// them: each becomes one file with the right bytes, whatever the moment.
@Suite(.startsPrograms, .serialized) struct UploadKillTests {
    private static let user = ReplayStore.user
    private static let password = ReplayStore.password

    /// One user's way to a server that is started again and again.
    private final class Session {
        let store: ReplayStore
        var running: BuiltProgram.Running?
        var port = 0
        var token = ""
        var fund = 0

        init(_ store: ReplayStore) { self.store = store }

        deinit { running?.kill() }

        func start(failingAt point: String? = nil) async throws {
            let faults = point.map { ["FUNDMAIL_FAILPOINT": $0] } ?? [:]
            let running = try store.with(faults).program.start(store.arguments(["serve"]))
            self.running = running
            _ = try await becomesTrue { running.errorsSoFar.contains("serving on") || !running.isRunning }
            let said = running.errorsSoFar
            let found = said.firstRange(of: "http://127.0.0.1:").flatMap { range in
                Int(said[range.upperBound...].prefix { $0.isNumber })
            }
            port = try #require(found, "\(said)")
            if token.isEmpty { try await signIn() }
        }

        func kill() async throws {
            running?.kill()
            _ = try await running?.wait()
        }

        private func signIn() async throws {
            let body = #"{"username":"\#(UploadKillTests.user)","password":"\#(UploadKillTests.password)"}"#
            let fields = "Content-Type: application/json\r\n"
            token = try #require(
                try object(await send("POST", "/api/v1/session", fields, Array(body.utf8)))["token"] as? String)
            let funds = try object(await send("GET", "/api/v1/funds"))["funds"] as? [[String: Any]]
            fund = try #require(funds?.first { $0["name"] as? String == "Fund1" }?["id"] as? Int)
        }

        func object(_ response: RawHTTPResponse?) throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: Data(response?.body ?? [])) as? [String: Any] ?? [:]
        }

        /// Nil when the server is gone.
        ///
        /// - Parameter cut: so many bytes of the body are sent; then the line is cut.
        func send(
            _ method: String, _ target: String, _ fields: String = "", _ body: [UInt8] = [], cut: Int? = nil
        ) async -> RawHTTPResponse? {
            guard let connection = try? RawHTTPConnection(port: port) else { return nil }
            await connection.send(
                "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.count)\r\n\(fields)"
                    + "Authorization: Bearer \(token)\r\n\r\n")
            let end = cut ?? body.count
            for start in stride(from: 0, to: end, by: 100_000) {
                guard await connection.send(Array(body[start..<min(start + 100_000, end)])) else { return nil }
            }
            if cut != nil { return nil }
            let response = await connection.response(hasBody: method != "HEAD", within: .seconds(120))
            return response?.isCut ?? true ? nil : response
        }

        func begin(_ name: String, length: Int) async throws -> String {
            let fields = "Content-Type: text/plain\r\nUpload-Complete: ?0\r\nUpload-Length: \(length)\r\n"
            let response = await send("POST", "/api/v1/funds/\(fund)/files?name=\(name)", fields)
            return try #require(response?["location"], "\(String(describing: response))")
        }

        /// Where the upload goes on; nil when it is complete.
        func offset(_ address: String) async throws -> Int? {
            let head = try #require(await send("HEAD", address))
            try #require((200..<300).contains(head.status), "\(head)")
            if head["upload-complete"] == "?1" { return nil }
            let offset: Int = try #require(head["upload-offset"].flatMap { Int($0) })
            return offset
        }

        func append(_ address: String, at offset: Int, _ bytes: [UInt8], cut: Int? = nil) async -> RawHTTPResponse? {
            await send(
                "PATCH", address,
                "Content-Type: application/partial-upload\r\nUpload-Offset: \(offset)\r\nUpload-Complete: ?1\r\n",
                Array(bytes[offset...]), cut: cut)
        }

        /// Which a complete upload became.
        func file(of address: String) async throws -> [String: Any] {
            try object(await send("GET", address))
        }

        func content(_ id: Int) async -> [UInt8]? { await send("GET", "/api/v1/files/\(id)/content")?.body }

        func fileCount() async throws -> Int {
            try #require(try object(await send("GET", "/api/v1/funds/\(fund)/summary"))["file_count"] as? Int)
        }
    }

    private func make(in folder: String? = nil) async throws -> Session {
        let store = if let folder { try await ReplayStore(madeIn: folder) } else { try await ReplayStore() }
        try TestFile.write("store: ./store\nserver: {listen: 127.0.0.1:0}\n", to: store.configuration)
        return Session(store)
    }

    private func expectSoundness(_ session: Session) async throws {
        session.running?.signal(SIGTERM)
        #expect(try await session.running?.wait().isSuccess == true)
        let verified = try await session.store.run("verify")
        #expect(verified.output.contains("All is well"), "\(verified)")
    }

    private static func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let words = (0...(count / 8)).map { _ in generator.next() }
        return words.withUnsafeBytes { Array($0.prefix(count)) }
    }

    /// At each step of the end, of a small one and of one that is a segment of its own.
    @Test(arguments: [50_000, 1_500_000]) func diesAtEachStepOfTheEnd(_ size: Int) async throws {
        let session = try await make()
        defer { session.store.remove() }
        var generator = SeededGenerator(seed: UInt64(size))
        let points = [
            "before_append", "after_append", "before_barrier", "after_barrier", "before_commit", "after_commit",
        ]
        var made: [Int: [UInt8]] = [:]
        for (index, point) in points.enumerated() {
            let bytes = Self.bytes(size, &generator)
            try await session.start(failingAt: point)
            let address = try await session.begin("\(index)", length: size)
            #expect(await session.append(address, at: 0, bytes) == nil, "\(point) was not reached")
            try await session.kill()
            // A writer of mail that comes first takes over no segment in which bytes of the upload stand.
            let mail = session.store.folder + "/mail-\(index)"
            try FileManager.default.createDirectory(atPath: mail, withIntermediateDirectories: true)
            try TestFile.write("From: x@example.org\nSubject: [None \(index)] a\n\nb\n", to: mail + "/m.eml")
            #expect(try await session.store.run("replay", mail).status != 1)
            // Verify takes no unfinished upload for damage or litter.
            let verified = try await session.store.run("verify")
            #expect(verified.output.contains("All is well"), "\(point): \(verified)")
            try await session.start()
            var id: Int?
            if let offset = try await session.offset(address) {
                #expect(offset == size, "\(point)")
                let last = await session.append(address, at: offset, bytes)
                #expect(last?.status == 201, "\(point): \(String(describing: last?.text))")
                id = try session.object(last)["id"] as? Int
            } else {
                #expect(point == "after_commit")
                id = try await session.file(of: address)["id"] as? Int
            }
            made[try #require(id)] = bytes
            #expect(try await session.fileCount() == index + 1, "\(point)")
            try await session.kill()
        }
        try await session.start()
        for (id, bytes) in made { #expect(await session.content(id) == bytes) }
        try await expectSoundness(session)
        #expect(try session.store.snapshot().leftovers.isEmpty)
    }

    /// A sweep two days later removes it; one within the day does not.
    @Test(.enabled(if: Faketime.isUsable)) func goesAfterADay() async throws {
        let session = try await make()
        defer { session.store.remove() }
        var generator = SeededGenerator(seed: 1)
        let bytes = Self.bytes(3_000_000, &generator)
        try await session.start()
        let address = try await session.begin("a", length: bytes.count)
        _ = await session.append(address, at: 0, bytes, cut: 2_000_000)
        try await session.kill()
        try await session.start()
        #expect(try await session.offset(address) != nil)
        try await session.kill()
        let store = session.store
        let later = try await store.with([:], prefix: Faketime.shifted(byDays: 2)).replay()
        #expect(later.isSuccess && TestFile.names(in: store.store + "/tmp").isEmpty, "\(later)")
        try await session.start()
        #expect(await session.send("HEAD", address)?.status == 404)
        try await expectSoundness(session)
    }

    /// Without room on the disk bytes are refused (507), and what came stays: with room, it goes on.
    @Test(.enabled(if: SmallDisk.isPossible, "this user may not mount")) func goesOnWhenThereIsRoom() async throws {
        let disk = try SmallDisk(bytes: 40_000_000)
        defer { disk.unmount() }
        let session = try await make(in: disk.path + "/data")
        var generator = SeededGenerator(seed: 7)
        let (piece, bytes) = (5_000_000, Self.bytes(60_000_000, &generator))
        try await session.start()
        let address = try await session.begin("large", length: bytes.count)
        /// Sends the body only when the server wants it.
        func append(at offset: Int, to end: Int) async throws -> RawHTTPResponse? {
            let connection = try RawHTTPConnection(port: session.port)
            await connection.send(
                "PATCH \(address) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(session.token)\r\n"
                    + "Content-Type: application/partial-upload\r\nUpload-Offset: \(offset)\r\n"
                    + "Upload-Complete: \(end == bytes.count ? "?1" : "?0")\r\nExpect: 100-continue\r\n"
                    + "Content-Length: \(end - offset)\r\n\r\n")
            let response = await connection.response()
            guard response?.status == 100 else { return response }
            await connection.send(Array(bytes[offset..<end]))
            return await connection.response()
        }
        #expect(try await append(at: 0, to: bytes.count)?.status == 507)
        var offset = 0
        while let response = try await append(at: offset, to: offset + piece), response.status == 204 {
            offset += piece
        }
        #expect(offset > 0 && offset < 40_000_000)
        #expect(try await append(at: offset, to: offset + piece)?.status == 507)
        #expect(try await session.offset(address) == offset)
        try await session.kill()
        try disk.resize(bytes: 200_000_000)
        try await session.start()
        #expect(try await session.offset(address) == offset)
        let last = try await append(at: offset, to: bytes.count)
        #expect(last?.status == 201, "\(String(describing: last?.text))")
        let id = try #require(try session.object(last)["id"] as? Int)
        #expect(await session.content(id) == bytes)
        try await expectSoundness(session)
    }

    /// Cut at random bytes, killed at random moments, until all are through.
    @Test(arguments: 1...3) func losesAndDoublesNothing(_ seed: UInt64) async throws {
        let session = try await make()
        defer { session.store.remove() }
        var generator = SeededGenerator(seed: seed)
        try await session.start()
        var (cuts, kills) = (0, 0)
        for index in 0..<4 {
            let size = [0, 700_000, 2_500_000, 25_000_000][index]
            let bytes = Self.bytes(size, &generator)
            let address = try await session.begin("\(index)", length: size)
            var told = 0
            for step in 0... {
                guard let offset = try await session.offset(address) else { break }
                #expect(offset >= told, "seed \(seed): bytes that were there are gone")
                told = offset
                let rest = size - offset
                switch step > 12 ? 9 : Int.random(in: 0..<10, using: &generator) {
                case 0..<5:
                    cuts += 1
                    let cut = Int.random(in: 0...rest, using: &generator)
                    _ = await session.append(address, at: offset, bytes, cut: cut)
                case 5..<9:
                    kills += 1
                    let delay = Double.random(in: 0...0.1, using: &generator)
                    let running = session.running
                    let killer = Task {
                        // Any moment is right, also one that no event marks.
                        try await Task.sleep(for: .seconds(delay))
                        running?.kill()
                    }
                    _ = await session.append(address, at: offset, bytes)
                    try await killer.value
                    try await session.kill()
                    try await session.start()
                default: _ = await session.append(address, at: offset, bytes)
                }
            }
            let file = try await session.file(of: address)
            let id = try #require(file["id"] as? Int)
            #expect(await session.content(id) == bytes, "seed \(seed)")
            #expect(file["sha256"] as? String == ContentDigest.of(bytes).hex)
            #expect(try await session.fileCount() == index + 1, "seed \(seed)")
        }
        print("seed \(seed): \(cuts) cuts, \(kills) kills")
        try await expectSoundness(session)
        #expect(try session.store.snapshot().leftovers.isEmpty)
    }
}
