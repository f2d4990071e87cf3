import FundCore
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DriveBridge

/// Operations of drives on a real server.
@Suite(.startsPrograms) struct RcloneDrivesTests {
    private static let (id, user) = (OneDrive.id, OneDrive.user)

    private static func path(_ names: String...) throws -> DrivePath { try #require(DrivePath(names)) }

    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) } }

    private static func write(_ bytes: [UInt8], to path: DrivePath, of drives: RcloneDrives) async throws {
        let position = Mutex(0)
        try await drives.write(path, size: Int64(bytes.count), of: id, user) { room in
            position.withLock { position in
                let count = min(room.count, bytes.count - position)
                room.copyBytes(from: bytes[position..<(position + count)])
                position += count
                return count
            }
        }
    }

    private static func read(_ path: DrivePath, from position: Int64 = 0, of drives: RcloneDrives) async throws
        -> [UInt8]
    {
        let bytes = Mutex<[UInt8]>([])
        try await drives.read(path, from: position, size: nil, of: id, user) { piece in bytes.withLock { $0 += piece } }
        return bytes.withLock { $0 }
    }

    private static func problem(_ work: () async throws -> Void) async -> DriveProblem? {
        do { try await work() } catch let error as DriveError { return error.problem } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    @Test func allThatCanBeDone() async throws {
        let store = try TestStore()
        let (drives, notes) = try TestStore.drives(store.port)
        let (id, user) = (Self.id, Self.user)
        try await drives.check(try TestStore.settings())
        let folder = try Self.path("a b%20?#&;'\"\u{4E2D}\u{6587}", "-x")
        try await drives.makeFolder(folder, of: id, user)
        try await drives.makeFolder(folder, of: id, user)
        for count in [0, 1, 300_001] {
            let path = try #require(folder.appending("\(count) 404 Not Found"))
            for bytes in [Self.bytes(count).reversed(), Self.bytes(count)] {
                try? await drives.remove(path, of: id, user)
                try await Self.write(bytes, to: path, of: drives)
                #expect(try await Self.read(path, of: drives) == bytes)
                #expect(try await Self.read(path, from: Int64(count / 2), of: drives) == Array(bytes[(count / 2)...]))
            }
            #expect(try await drives.entry(at: path, of: id, user).size == Int64(count))
            #expect(
                await Self.problem { _ = try await Self.read(path, from: Int64(count + 1), of: drives) } == .changed)
        }
        // A file that is there stays as it is.
        let taken = try #require(folder.appending("1 404 Not Found"))
        #expect(await Self.problem { try await Self.write([7, 7], to: taken, of: drives) } == .alreadyExists)
        #expect(try await Self.read(taken, of: drives) == Self.bytes(1))
        // No part of a file is left.
        let names = try await drives.entries(in: folder, of: id, user).map(\.name).sorted()
        #expect(names == ["0 404 Not Found", "1 404 Not Found", "300001 404 Not Found"])
        let (one, none) = (try #require(folder.appending(names[1])), try #require(folder.appending("none")))
        let moved = try Self.path("moved")
        try await drives.move(folder, to: moved, of: id, user)
        try await drives.move(try #require(moved.appending(names[1])), to: one, of: id, user)
        let found = try await drives.find("NOT F", below: .top, atMost: 10, of: id, user)
        #expect(Set(found.map(\.path.description)) == ["\(one)", "moved/\(names[0])", "moved/\(names[2])"])
        #expect(try await drives.find("not f", below: .top, atMost: 1, of: id, user).count == 1)
        #expect(await Self.problem { try await drives.move(one, to: moved, of: id, user) } == .alreadyExists)
        #expect(await Self.problem { try await drives.move(none, to: moved, of: id, user) } == .notFound)
        #expect(await Self.problem { _ = try await Self.read(moved, of: drives) } == .notFound)
        for work in [drives.remove, { _ = try await drives.entry(at: $0, of: $1, $2) }] as [Removal] {
            #expect(await Self.problem { try await work(none, id, user) } == .notFound)
        }
        try await drives.remove(one, of: id, user)
        try await drives.remove(moved, of: id, user)
        #expect(await Self.problem { try await drives.remove(.top, of: id, user) } == .name)
        #expect(try await drives.entries(in: try Self.path(folder.names[0]), of: id, user).count <= 1)
        #expect(try await drives.space(of: id, user) == DriveSpace())
        #expect(await Self.problem { _ = try await drives.space(of: id, User.ID(rawValue: 3)) } == .notFound)
        #expect(notes.problems.allSatisfy { $0 == nil })
    }

    private typealias Removal = @Sendable (DrivePath, Drive.ID, User.ID) async throws -> Void

    @Test func nothingTornStandsUnderItsName() async throws {
        let store = try TestStore()
        let (drives, _) = try TestStore.drives(store.port)
        let path = try Self.path("f")
        let new = Self.bytes(3_000_000)
        var random = SeededGenerator(seed: 40)
        for round in 0..<12 {
            let limit = Int.random(in: 0..<new.count, using: &random)
            let position = Atomic<Int>(0)
            let task = Mutex<Task<Void, any Error>?>(nil)
            let isCancelled = round.isMultiple(of: 2)
            let work = Task {
                try await drives.write(path, size: Int64(new.count), of: Self.id, Self.user) { room in
                    let begun = position.load(ordering: .relaxed)
                    if begun >= limit {
                        guard isCancelled else { return 0 }
                        task.withLock { $0?.cancel() }
                    }
                    let count = min(room.count, new.count - begun)
                    room.copyBytes(from: new[begun..<(begun + count)])
                    position.add(count, ordering: .relaxed)
                    return count
                }
            }
            task.withLock { $0 = work }
            let result = await work.result
            let isThere = TestFile.names(in: store.path("")).contains("f")
            if case .success = result { #expect(isThere) }
            guard isThere else { continue }
            #expect(try TestFile.read(store.path("f")) == new)
            try await drives.remove(path, of: Self.id, Self.user)
        }
        #expect(TestFile.names(in: store.path("")).isEmpty)
    }

    @Test func reasonsForFailures() async throws {
        let store = try TestStore()
        let (drives, notes) = try TestStore.drives(store.port)
        func problem(_ settings: DriveSettings, _ drives: RcloneDrives) async -> DriveProblem? {
            await Self.problem { try await drives.check(settings) }
        }
        let settings = try TestStore.settings()
        #expect(await problem(try TestStore.settings(password: "other"), drives) == .login)
        #expect(await problem(settings, try TestStore.drives(store.port, trusting: false).drives) == .certificate)
        #expect(await problem(settings, try TestStore.drives(try HeldPort().number).drives) == .unreachable)
        for (host, expected) in [
            ("localhost", .privateAddress), ("127.0.0.1", .privateAddress), ("10.0.0.1:9000", .privateAddress),
            ("other.example:9000", .forbidden), ("[::1]", .privateAddress), ("nowhere.invalid", .unreachable),
        ] as [(String, DriveProblem)] {
            #expect(await problem(try TestStore.settings(host: host), drives) == expected, "\(host)")
        }
        store.stop()
        #expect(await Self.problem { _ = try await drives.entries(in: .top, of: Self.id, Self.user) } == .unreachable)
        #expect(notes.problems == [.unreachable])
    }

    /// Redirections to a machine that only this one reaches, and to a server without TLS.
    @Test(arguments: [("https://169.254.169.254/x", DriveProblem.privateAddress), ("http://1.1.1.1/x", .forbidden)])
    func redirectionsAreJudgedAnew(_ target: String, _ expected: DriveProblem) async throws {
        let authority = try TestAuthority.shared.get()
        let script = """
            import http.server, ssl, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_PROPFIND(self):
                    self.send_response(302); self.send_header("Location", sys.argv[3])
                    self.send_header("Content-Length", "0"); self.end_headers()
                do_GET = do_HEAD = do_OPTIONS = do_PROPFIND
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); context.load_cert_chain(sys.argv[1], sys.argv[2])
            server.socket = context.wrap_socket(server.socket, server_side=True)
            print("port", server.server_port, flush=True); server.serve_forever()
            """
        let process = try ServerProcess(
            [
                "python3", "-c", script, authority.certificatePath(.wrongHost), authority.keyPath(.wrongHost), target,
            ], folder: try TestFile.makeFolder("redirect"))
        let port = try firstResult(orElse: process.log) {
            process.log.split(separator: " ").last.flatMap { Int($0.prefix { $0.isNumber }) }
        }
        let (drives, _) = try TestStore.drives(port)
        #expect(await Self.problem { try await drives.check(try TestStore.settings()) } == expected)
        process.stop()
    }

    /// rclone gives the bytes of all files in a folder for those of a file.
    @Test func aFolderIsNoFile() async throws {
        let store = try TestStore()
        let bytes = Self.bytes(9_000_000)
        try TestFile.makeDirectory(store.path("f"))
        try TestFile.write(bytes, to: store.path("f/part"))
        try TestFile.write(bytes, to: store.path("g"))
        let (drives, _) = try TestStore.drives(store.port)
        let (size, half) = (Int64(bytes.count), Int64(bytes.count / 2))
        for position in [0, half, size] {
            let problem = await Self.problem {
                try await drives.read(try Self.path("f"), from: position, size: size, of: Self.id, Self.user) { _ in }
            }
            #expect(problem == .changed)
            let taken = Mutex<[UInt8]>([])
            let last = try await drives.read(
                try Self.path("g"), from: position, size: size, of: Self.id, Self.user
            ) { piece in taken.withLock { $0 += piece } }
            #expect(taken.withLock { $0 } == Array(bytes[Int(position)...]))
            #expect(last?.size == size && last?.name == "g")
        }
    }

    /// While a child runs, no other process can read its secret, and afterwards it is nowhere.
    @Test func theSecretIsNowhere() async throws {
        let store = try TestStore()
        try TestFile.write(Self.bytes(20_000_000), to: store.path("f"))
        let (drives, _) = try TestStore.drives(store.port)
        let seen = Mutex<[String]>([])
        let isFirst = Atomic<Bool>(true)
        try await drives.read(try Self.path("f"), from: 0, size: nil, of: Self.id, Self.user) { _ in
            guard isFirst.exchange(false, ordering: .relaxed) else { return }
            seen.withLock { $0 = Self.processes().filter { !$0.contains("serve") || !$0.contains("webdav") } }
        }
        let texts = seen.withLock { $0 }
        #expect(texts.contains { $0.contains("rclone") && ($0.contains("\0rcd\0") || $0.contains("\0cat\0")) })
        // Other tests have servers with secrets of their own.
        #expect(!texts.contains { $0.contains("\u{68C0}\u{67E5}") || $0.contains("pass =") })
        do {
            try await drives.check(try TestStore.settings(password: "canary-other"))
            Issue.record("it let another password in")
        } catch { #expect(!"\(error)".contains("canary")) }
        for folder in ["/dev/shm", "/run", "/tmp"] {
            #expect(!TestFile.names(in: folder).contains { $0.contains("rclone") && $0.hasSuffix(".conf") })
        }
    }

    /// Command lines and environments of all processes but this one.
    private static func processes() -> [String] {
        TestFile.names(in: "/proc").compactMap(Int32.init).filter { $0 != getpid() }.map { process in
            ["cmdline", "environ"].map { name in
                String(decoding: (try? TestFile.read("/proc/\(process)/\(name)")) ?? [], as: UTF8.self)
            }.joined()
        }
    }
}
