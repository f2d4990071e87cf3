import Foundation
import TestSupport
import Testing

@testable import FundClient

/// A child that another thread starts has copies of all descriptors until it is another program: it keeps no lock.
@Suite(.startsPrograms) struct LockTests {
    /// Runs a body while a child, which does nothing but wait, has copies of the descriptors of a file.
    private func whileChildHas<T>(_ path: String, _ body: () async throws -> T) async throws -> T {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let named = try LocalFiles.status(path)
        var copies = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: "/dev/fd") {
            var raw = stat()
            guard let descriptor = Int32(name), fstat(descriptor, &raw) == 0, FileStatus(raw).identity == named.identity
            else { continue }
            // The number stays, and the descriptor stays open in another program.
            posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor)
            copies += 1
        }
        try #require(copies > 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        defer { arguments.forEach { free($0) } }
        var child: pid_t = 0
        try #require(posix_spawn(&child, "/bin/sleep", &actions, nil, &arguments, environ) == 0)
        defer {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        return try await body()
    }

    @Test func aChildKeepsNoFolder() async throws {
        let folder = try ModelFolder()
        func open() throws(ClientError) -> FolderSync {
            try FolderSync(folder.root, with: ModelServer(), scope: "test", user: "ann", options: .init())
        }
        let first = try open()
        try await whileChildHas(folder.path(".fund/lock")) {
            #expect(throws: ClientError.self) { try open() }
            first.close()
            try open().close()
        }
    }

    @Test func aChildKeepsNoPart() async throws {
        let folder = try ModelFolder()
        func open() async throws(ClientError) -> PartFile {
            let part = PartFile(folder.path("part"))
            _ = try await part.begin(isResumed: true)
            return part
        }
        var first: PartFile? = try await open()
        try await whileChildHas(folder.path("part")) {
            await #expect(throws: ClientError.self) { try await open() }
            #expect(first != nil)
            first = nil
            _ = try await open()
        }
    }

    @Test func aChildKeepsNoMark() async throws {
        let folder = try ModelFolder()
        var mark: ProcessMark? = try ProcessMark(in: folder.root)
        let name = try #require(mark?.name)
        try await whileChildHas(folder.path(name)) {
            #expect(!ProcessMark.isGone(name, in: folder.root))
            // The file without its mark, as a process leaves it that is killed.
            try FileManager.default.linkItem(atPath: folder.path(name), toPath: folder.path("kept"))
            mark = nil
            try FileManager.default.moveItem(atPath: folder.path("kept"), toPath: folder.path(name))
            #expect(ProcessMark.isGone(name, in: folder.root))
        }
    }
}
