import Foundation
import TestSupport
import Testing

/// `fund sync --watch` against a real server: each change of the folder is seen by inotify.
@Suite(.startsPrograms, .timeLimit(.minutes(10))) struct SyncWatchTests {
    /// A line of JSON that the command prints.
    private struct Line: Decodable, Sendable {
        var event: String
        var action: String?
        var path: String?
        var to: String?
    }

    /// Lines of a command as they come; they end with the command.
    private static func lines(of pipe: Pipe) -> AsyncStream<Line> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                var bytes = Data()
                while true {
                    let piece = pipe.fileHandleForReading.availableData
                    guard !piece.isEmpty else { return continuation.finish() }
                    bytes += piece
                    while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                        let line = try? JSONDecoder().decode(Line.self, from: bytes[..<end])
                        if let line { continuation.yield(line) }
                        bytes = Data(bytes[(end + 1)...])
                    }
                }
            }
        }
    }

    @Test func everyChangeOfTheFolderGoesToTheServer() async throws {
        let folder = try TestFile.makeFolder("fund-watch")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await FundmailServer()
        let program = BuiltProgram.fund(in: folder)
        #expect(try await program.run(["login", server.url, FundmailServer.user]).isSuccess)

        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: program.path)
        process.arguments = ["sync", "funds", "--watch", "--json", "--settle", "0"]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = ProcessInfo.processInfo.environment.merging(program.environment) { $1 }
        (process.standardOutput, process.standardInput) = (pipe, FileHandle.nullDevice)
        try process.run()
        defer { process.terminate() }
        var lines = Self.lines(of: pipe).makeAsyncIterator()

        /// Waits for the action on a path, and then for the end of that synchronization.
        func expect(_ action: String, _ path: String, to: String? = nil) async {
            while let line = await lines.next() {
                guard line.action == action, line.path == path else { continue }
                #expect(line.to == to)
                while let next = await lines.next(), next.event != "summary" {}
                return
            }
            Issue.record("\(action) \(path) did not come")
        }

        while let line = await lines.next(), line.event != "summary" {}
        try TestFile.write([1, 2, 3], to: "\(folder)/funds/Fund1/a.txt")
        await expect("upload", "Fund1/a.txt")
        // A folder that is new is watched, too, with everything that is in it by then.
        try FileManager.default.createDirectory(
            atPath: "\(folder)/funds/Fund1/New/Deep", withIntermediateDirectories: true)
        try TestFile.write([4], to: "\(folder)/funds/Fund1/New/Deep/b.txt")
        await expect("upload", "Fund1/New/Deep/b.txt")
        try TestFile.write([5, 6], to: "\(folder)/funds/Fund1/New/Deep/b.txt")
        await expect("update-there", "Fund1/New/Deep/b.txt")
        try FileManager.default.moveItem(
            atPath: "\(folder)/funds/Fund1/a.txt", toPath: "\(folder)/funds/Fund1/New/c.txt")
        await expect("move-there", "Fund1/a.txt", to: "Fund1/New/c.txt")
        try FileManager.default.removeItem(atPath: "\(folder)/funds/Fund1/New/c.txt")
        await expect("delete-there", "Fund1/New/c.txt")
        let listed = try await program.run(["ls", "-R", "Fund1", "--json"])
        #expect(listed.output.contains("b.txt") && !listed.output.contains("c.txt"), "\(listed)")
        // The server's changes come the other way.
        #expect(try await program.run(["mkdir", "Fund1/From there"]).isSuccess)
        await expect("make-folder-here", "Fund1/From there")
    }
}
