import ChildProcesses
import Foundation
import TestSupport

@testable import FundPreview

/// A document that is a program, `Fixtures/programs/hostile.c`, and its acts in a sandbox.
enum HostileDocument {
    /// The compiler that comes with Swift, or another one.
    private static let compiler: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let paths = ["clang", "cc"].flatMap { name in folders.map { "\($0)/\(name)" } }
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// The loader of dynamic programs: it maps and runs a file without permission to execute.
    private static let loader: String = {
        #if arch(arm64)
            "/usr/lib/ld-linux-aarch64.so.1"
        #else
            "/usr/lib64/ld-linux-x86-64.so.2"
        #endif
    }()

    static var isMade: Bool { compiler != nil && FileManager.default.isExecutableFile(atPath: loader) }

    /// Compiled once in a run of the tests.
    static let bytes: [UInt8] = {
        let path = NSTemporaryDirectory() + "/fundmail-hostile-\(UUID())"
        defer { unlink(path) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: compiler ?? "/nonexistent")
        process.arguments = ["-O1", "-o", path, PackageRoot.path + "/Fixtures/programs/hostile.c"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return [] }
        process.waitUntilExit()
        return FileManager.default.contents(atPath: path).map { Array($0) } ?? []
    }()

    /// A text for command lines by which processes are found again.
    static func mark() -> String { "hostile-\(Int.random(in: 100_000_000...999_999_999))" }

    /// Runs an act to its end; gives also what it printed.
    static func run(
        _ act: [String], mark: String, in sandbox: Sandbox, localSockets: Bool = false, limits: SandboxLimits
    ) throws -> (end: SupervisedChild.End, output: String, errors: String) {
        let input = try SampleFile(bytes)
        var command = SandboxCommand(
            program: loader, arguments: [.input, .text(mark)] + act.map { .text($0) }, limits: limits)
        command.needsLocalSockets = localSockets
        let run = try sandbox.run(command, input: input.descriptor)
        return (run.end, String(decoding: try run.output.bytes(atMost: 65536), as: UTF8.self), run.errors)
    }
}
