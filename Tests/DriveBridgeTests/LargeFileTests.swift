internal import ChildProcesses
import FundCore
internal import FundStore
internal import Glibc
import TestSupport
import Testing

@testable import DriveBridge

/// Large files, which the child writes itself into the file of an upload.
@Suite(.startsPrograms) struct LargeFileTests {
    private static let (id, user) = (OneDrive.id, OneDrive.user)
    private static let bytes = (0..<9_000_007).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    private static func path(_ name: String) throws -> DrivePath { try #require(DrivePath([name])) }

    private static func problem(_ work: () async throws -> Void) async -> DriveProblem? {
        do { try await work() } catch let error as DriveError { return error.problem } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    /// An upload into a store of its own.
    private struct Target {
        let folder: String
        let store: FundStore
        let upload: any UploadWriter
        let file: any GrowingFile

        init(_ size: Int) throws {
            folder = try TestFile.makeFolder("large")
            store = try FundStore.open(at: "\(folder)/store", mode: .create)
            upload = try store.library.makeUpload(named: "f", announcing: Int64(size))
            file = try #require(upload.growing(to: Int64(size)))
        }

        /// Bytes of the file, with those that stand before the content.
        var fileBytes: Int {
            let name = TestFile.names(in: "\(folder)/store/tmp").first { $0.hasPrefix("large") }
            return name.flatMap { try? TestFile.read("\(folder)/store/tmp/\($0)").count } ?? 0
        }
    }

    @Test(arguments: [0, 1, 100_000, 5_000_000, 9_000_006, 9_000_007])
    func theRestOfAFileComes(_ begun: Int) async throws {
        let store = try TestStore()
        try TestFile.write(Self.bytes, to: store.path("f"))
        let (drives, _) = try TestStore.drives(store.port)
        let target = try Target(Self.bytes.count)
        try Self.bytes[..<begun].withUnsafeBytes { try target.upload.append($0) }
        let entry = try await drives.read(
            try Self.path("f"), size: Int64(Self.bytes.count), of: Self.id, Self.user, into: target.file)
        #expect(entry?.size == Int64(Self.bytes.count))
        let staged = try target.upload.finish(contentType: "a/b")
        #expect(staged.size == Int64(Self.bytes.count) && staged.digest == .of(Self.bytes))
        #expect(drives.runningCount == 0)
    }

    /// A file that is longer or shorter than the store said, and a folder in its place: the file of the upload grows by
    /// one byte more than it was to have.
    @Test func whatIsNotAsAnnouncedIsChanged() async throws {
        let store = try TestStore()
        try TestFile.write(Self.bytes, to: store.path("f"))
        try TestFile.makeDirectory(store.path("d"))
        try TestFile.write(Self.bytes, to: store.path("d/f"))
        let (drives, _) = try TestStore.drives(store.port)
        for (name, size) in [("f", 8_500_000), ("f", 9_000_006), ("f", 9_000_008), ("d", Self.bytes.count)] {
            let target = try Target(size)
            let problem = await Self.problem {
                try await drives.read(try Self.path(name), size: Int64(size), of: Self.id, Self.user, into: target.file)
            }
            #expect(problem == .changed || problem == .server, "\(name) \(size)")
            #expect(target.upload.size <= size + 1)
        }
    }

    /// A store that sends almost nothing keeps neither the child nor the file.
    @Test func aCancelledReadLeavesNoWriter() async throws {
        let store = try ScriptedStore(["slow": Self.bytes.count])
        let (drives, _) = try TestStore.drives(store.port)
        let target = try Target(Self.bytes.count)
        let (path, before) = (try Self.path("slow"), target.fileBytes)
        let reading = Task {
            try await drives.read(path, size: Int64(Self.bytes.count), of: Self.id, Self.user, into: target.file)
        }
        try await eventually { target.fileBytes > max(before, 10_000) }
        reading.cancel()
        await #expect(throws: CancellationError.self) { _ = try await reading.value }
        // Another process may append: none has the end of the file open.
        _ = try target.file.beginGrowing()
        try target.file.endGrowing()
    }

    /// Bytes that were appended stand, whatever a child tries: they were hashed already.
    @Test func aProgramInTheSandboxChangesNothing() throws {
        let folder = try TestFile.makeFolder("appended")
        let calls = try DeniedCalls.file(.streams, appendsOutput: true)
        var filter = [UInt8](repeating: 0, count: 1 << 14)
        filter.removeLast(filter.count - pread(calls.descriptor, &filter, filter.count, 0))
        try TestFile.write(filter, to: "\(folder)/filter")
        try TestFile.write(Array("AAAA".utf8), to: "\(folder)/output")
        let script = """
            import fcntl, os
            ways = [
                lambda: os.pwrite(1, b"X", 0), lambda: os.pwritev(1, [b"X"], 0), lambda: os.ftruncate(1, 0),
                lambda: os.posix_fallocate(1, 0, 100), lambda: fcntl.fcntl(1, fcntl.F_SETFL, 0),
                lambda: fcntl.ioctl(1, 0x4030582B, bytes(48)), lambda: open("/proc/self/fd/1", "r+b"),
                lambda: open("/dev/stdout", "wb"), lambda: os.sendfile(1, os.open("/usr/bin/env", 0), 0, 9),
                lambda: os.copy_file_range(os.open("/usr/bin/env", 0), 1, 9, 0, 0), lambda: os.read(1, 1),
            ]
            for number, way in enumerate(ways):
                try: way()
                except OSError: continue
                os.write(1, str(number).encode())
            os.lseek(1, 0, 0); os.write(1, b"B")
            """
        let words =
            [NamespaceWords.program] + NamespaceWords.namespaces + NamespaceWords.programs
            + ["--dev", "/dev", "--seccomp", "9", "--", "/usr/bin/python3", "-c", script]
        let process = try ServerProcess(
            ["bash", "-c", #"exec "${@:2}" 9< "$0/filter" >> "$0/output" # $1"#, folder, ""] + words, folder: folder)
        defer { process.stop() }
        let output = try firstResult(orElse: process.log) {
            (try? TestFile.read("\(folder)/output")).flatMap { $0.count > 4 ? $0 : nil }
        }
        #expect(String(decoding: output, as: UTF8.self) == "AAAAB")
    }
}
