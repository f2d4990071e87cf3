import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

/// The server dies by SIGKILL in the middle of uploads and of a purge. What is left is whole, and the next server goes
/// on.
@Suite(.startsPrograms, .serialized) struct ServeKillTests {
    private static let user = ReplayStore.user
    private static let password = ReplayStore.password

    // MARK: Uploads

    private struct Upload: Sendable {
        var name: String
        var isDAV: Bool
        var bytes: [UInt8]

        init(_ number: Int) {
            (name, isDAV) = ("upload \(number)", number % 2 == 0)
            bytes = [UInt8](repeating: UInt8(number), count: 1_500_000)
        }
    }

    private struct Server: Sendable {
        var port: Int
        var appPassword: String
        var token = ""
        var fund = 0

        /// The status; nil when the server is gone.
        func send(_ method: String, _ target: String, _ fields: String, _ body: [UInt8] = []) async -> RawHTTPResponse?
        {
            guard let connection = try? RawHTTPConnection(port: port) else { return nil }
            await connection.send(
                "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.count)\r\n\(fields)\r\n\r\n")
            for start in stride(from: 0, to: body.count, by: 100_000) {
                guard await connection.send(Array(body[start..<min(start + 100_000, body.count)])) else { return nil }
            }
            return await connection.response(within: .seconds(120))
        }

        private var basic: String {
            "Authorization: Basic \(Data("\(ServeKillTests.user):\(appPassword)".utf8).base64EncodedString())"
        }

        private func path(_ upload: Upload) -> String { "/dav/Fund1/\(upload.name.replacing(" ", with: "%20"))" }

        /// Whether the server said that it has it.
        func put(_ upload: Upload) async -> Bool {
            let response =
                if upload.isDAV {
                    await send("PUT", path(upload), basic, upload.bytes)
                } else {
                    await send(
                        "POST", "/api/v1/funds/\(fund)/files?name=\(upload.name.replacing(" ", with: "%20"))",
                        "Content-Type: text/plain\r\nAuthorization: Bearer \(token)", upload.bytes)
                }
            return response?.status == 201
        }

        func get(_ upload: Upload) async -> RawHTTPResponse? { await send("GET", path(upload), basic) }

        mutating func signIn() async throws {
            let body = #"{"username":"\#(ServeKillTests.user)","password":"\#(ServeKillTests.password)"}"#
            let session = await send("POST", "/api/v1/session", "Content-Type: application/json", Array(body.utf8))
            func object(_ response: RawHTTPResponse?) throws -> [String: Any] {
                try JSONSerialization.jsonObject(with: Data(response?.body ?? [])) as? [String: Any] ?? [:]
            }
            token = try #require(try object(session)["token"] as? String)
            let funds = try object(await send("GET", "/api/v1/funds", "Authorization: Bearer \(token)"))["funds"]
            fund = try #require((funds as? [[String: Any]])?.first { $0["name"] as? String == "Fund1" }?["id"] as? Int)
        }
    }

    /// A point of a debug build where the process kills itself, or a part of the time that uploads take.
    private enum Death { case at(String), after(Double), never }

    private static let deaths: [Death] =
        [.never]
        + ["before_append", "after_append", "before_barrier", "after_barrier", "before_commit"].map { .at($0) }
        + stride(from: 0.05, to: 1.2, by: 0.15).map { .after($0) }

    @Test func uploadsAreWholeOrNotThere() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try configure(store)
        let appPassword = try await store.run("user", "token", "add-app", Self.user).output.filter { !$0.isNewline }
        var server = Server(port: 0, appPassword: appPassword)
        var (sent, acknowledged): ([Upload], Set<String>) = ([], [])
        var seconds = 0.0
        for (round, death) in Self.deaths.enumerated() {
            var faults: [String: String] = [:]
            if case .at(let point) = death { faults["FUNDMAIL_FAILPOINT"] = point }
            let (running, port) = try await start(store.with(faults))
            server.port = port
            if server.token.isEmpty { try await server.signIn() }
            let uploads = (0..<3).map { Upload(round * 3 + $0) }
            let begin = ContinuousClock.now
            if case .after(let part) = death {
                let delay = part * seconds
                Task {
                    // Any moment is right, also one that no event marks.
                    try await Task.sleep(for: .seconds(delay))
                    running.kill()
                }
            }
            let done = await withTaskGroup(of: String?.self) { [server] group in
                for upload in uploads { group.addTask { await server.put(upload) ? upload.name : nil } }
                return await group.reduce(into: []) { $0.append($1) }.compactMap { $0 }
            }
            sent += uploads
            acknowledged.formUnion(done)
            if case .never = death {
                #expect(done.count == uploads.count)
                seconds = Double((ContinuousClock.now - begin).components.attoseconds) / 1e18
                seconds += Double((ContinuousClock.now - begin).components.seconds)
            }
            if case .at(let point) = death { #expect(done.count < uploads.count, "\(point) was not reached") }
            running.kill()
            _ = try await running.wait()
        }
        let (running, port) = try await start(store)
        server.port = port
        for upload in sent {
            let response = try #require(await server.get(upload))
            if acknowledged.contains(upload.name) { #expect(response.status == 200, "\(upload.name)") }
            if response.status == 200 {
                #expect(Data(response.body) == Data(upload.bytes), "\(upload.name)")
            } else {
                #expect(response.status == 404, "\(upload.name)")
            }
        }
        running.signal(SIGTERM)
        #expect(try await running.wait().isSuccess)
        #expect(try store.snapshot().leftovers.isEmpty)
        try await expectSoundness(store)
    }

    // MARK: A purge

    /// Deleted files, each with bytes of its own; every fifth of them has the same bytes as a file that is there.
    @Test func aPurgeTakesNothingThatIsNeeded() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try configure(store)
        let count = 1500
        let digests = try await fill(store, count)
        // A transaction takes 500; files go in the order of their rows, after it. The last death is after the bytes
        // were given up, and before that was noted.
        for step in 0...(count / 500) {
            let index = min(step * 500 + 101 + step * 70, count - 2)
            let isLast = step == count / 500
            let faults = isLast ? ["FUNDMAIL_FAILPOINT": FaultPoint.afterReclaim.rawValue] : [:]
            let running = try store.program.start(store.with(faults).arguments(["serve"]))
            _ = try await becomesTrue {
                if isLast { return !running.isRunning }
                return try !StoreSnapshot.holdsBlob(digests[index].hex, in: store.store) || !running.isRunning
            }
            running.kill()
            _ = try await running.wait()
        }
        let kept = digests.indices.filter { $0 % 5 == 4 }
        let (running, _) = try await start(store)
        let isDone = try await becomesTrue { try StoreSnapshot.rowCount(of: "file", in: store.store) == kept.count }
        #expect(isDone)
        let isReclaimed = try await becomesTrue {
            try StoreSnapshot.rowCount(of: "dead_record", in: store.store) == 0
        }
        #expect(isReclaimed)
        running.signal(SIGTERM)
        #expect(try await running.wait().isSuccess)
        for index in kept { #expect(try StoreSnapshot.holdsBlob(digests[index].hex, in: store.store)) }
        try await expectSoundness(store)
        let snapshot = try store.snapshot()
        #expect(snapshot.files.count == kept.count && snapshot.wrongFiles.isEmpty)
    }

    private func fill(_ store: ReplayStore, _ count: Int) async throws -> [ContentDigest] {
        let contents = (0..<count).map { Array("content \($0)".utf8) }
        let open = try FundStore.open(at: store.store, mode: .existing)
        let fund = try #require(try await open.administration.funds().first)
        for (index, content) in contents.enumerated() {
            let upload = try open.library.makeUpload(named: "", announcing: Int64(content.count))
            try content.withUnsafeBytes { try upload.append($0) }
            _ = try await open.library.addFile(
                try upload.finish(contentType: "a/b"),
                at: FileTarget("gone \(index)", in: LibraryPlace(fund: fund.fund.id), ifTaken: .refuse),
                of: fund.fund.owner)
        }
        try open.close()
        // The clock was steady before, so that retention applies.
        let kind = 2
        try StoreSnapshot.execute(
            """
            INSERT INTO counter VALUES ('clock_seen', unixepoch() - 7200);
            INSERT INTO counter VALUES ('clock_since', unixepoch() - 200000);
            UPDATE file SET deleted_at = 1000;
            INSERT INTO deletion SELECT \(kind), id, \(fund.fund.owner), 1000, \(kind), id, NULL FROM file;
            INSERT INTO file (fund_id, name, name_key, blob_id, size, content_type, created_at, modified_at)
                SELECT fund_id, 'kept ' || blob_id, 'kept ' || blob_id, blob_id, size, content_type, 0, 0 FROM file
                WHERE blob_id % 5 = 0;
            INSERT INTO change_due (kind, item_id, fund_id)
                SELECT \(kind), id, fund_id FROM file WHERE deleted_at IS NULL;
            UPDATE fund_use SET bytes = bytes
                + (SELECT coalesce(sum(size), 0) FROM file
                    WHERE file.fund_id = fund_use.fund_id AND deleted_at IS NULL);
            """, in: store.store)
        return contents.map { ContentDigest.of($0) }
    }

    // MARK: Parts

    private func configure(_ store: ReplayStore) throws {
        let text = "store: ./store\nserver: {listen: 127.0.0.1:0}\nretention: {raw: keep, deleted: 1}\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: store.configuration))
    }

    private func start(_ store: ReplayStore) async throws -> (BuiltProgram.Running, port: Int) {
        let running = try store.program.start(store.arguments(["serve"]))
        _ = try await becomesTrue { running.errorsSoFar.contains("serving on") || !running.isRunning }
        let said = running.errorsSoFar
        let port = said.firstRange(of: "http://127.0.0.1:").flatMap { range in
            Int(said[range.upperBound...].prefix { $0.isNumber })
        }
        return (running, try #require(port, "\(said)"))
    }

    private func expectSoundness(_ store: ReplayStore) async throws {
        let verified = try await store.run("verify")
        #expect(verified.output.contains("All is well"), "\(verified)")
    }
}
