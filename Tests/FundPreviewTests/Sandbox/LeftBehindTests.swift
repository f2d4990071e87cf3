import ChildProcesses
import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundPreview

/// With the other tests of sandboxes, one after the other: a fork bomb takes the processes that their user may have.
extension SandboxTests {
    /// A document that took over its converter, and what it wants to leave behind or to reach.
    @Suite(.enabled(if: HostileDocument.isMade)) struct LeftBehindTests {
        private static let limits = SandboxLimits(
            memoryBytes: 256 << 20, processorSeconds: 5, wallSeconds: 10, fileBytes: 4 << 20, scratchBytes: 32 << 20)

        /// With local sockets, which soffice needs, and without.
        @Test(arguments: SandboxTests.kinds, [false, true])
        func nothingOutsideIsReached(_ kind: Sandbox.Choice, _ localSockets: Bool) async throws {
            let (outside, mark) = (try Bystanders(), HostileDocument.mark())
            let listeners = outside.listeners
            let act = ["escape", "\(outside.process)", "\(listeners.port)", listeners.path, outside.file]
            let (end, output, errors) = try HostileDocument.run(
                act, mark: mark, in: .required(kind), localSockets: localSockets, limits: Self.limits)
            #expect(output == "done\n", "\(end) \(errors)")
            try outside.expectUntouched()
            #expect(try await RunningProcesses.isEmpty(mark))
        }

        /// So that the listeners would tell.
        @Test func withoutASandboxTheNetworkIsReached() throws {
            let folder = try SampleFolder()
            let (listeners, path) = (LoopbackListeners(in: folder), "\(folder.path)/hostile")
            try Data(HostileDocument.bytes).write(to: URL(fileURLWithPath: path))
            chmod(path, 0o755)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = ["", "network", "\(listeners.port)", listeners.path]
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(listeners.reachedCount == 4)
        }

        @Test(arguments: SandboxTests.kinds, [false, true])
        func daemonsEndWithTheirProgram(_ kind: Sandbox.Choice, _ localSockets: Bool) async throws {
            let mark = HostileDocument.mark()
            let sandbox = try Sandbox.required(kind)
            #expect(
                try HostileDocument.run(
                    ["leave"], mark: mark, in: sandbox, localSockets: localSockets, limits: Self.limits
                ).end == .exited(0))
            #expect(try await RunningProcesses.isEmpty(mark))
            var limits = Self.limits
            limits.wallSeconds = 1
            #expect(
                try HostileDocument.run(["leave", "stay"], mark: mark, in: sandbox, limits: limits).end == .outOfTime)
            #expect(try await RunningProcesses.isEmpty(mark))
        }

        /// The launcher is killed from outside, as the kernel does when memory runs out: no process is left that would
        /// end its converters.
        @Test(arguments: SandboxTests.kinds) func daemonsEndWithTheirLauncher(_ kind: Sandbox.Choice) async throws {
            let (mark, sandbox) = (HostileDocument.mark(), try Sandbox.required(kind))
            let running = Task.detached {
                var limits = Self.limits
                limits.wallSeconds = 60
                return try HostileDocument.run(["leave", "stay"], mark: mark, in: sandbox, limits: limits).end
            }
            // Its processes, beside the launcher's own: those that `leave` starts.
            try await eventually { RunningProcesses.with(mark).count >= 6 }
            let launcher = try #require(
                RunningProcesses.with(mark).first { RunningProcesses.parent(of: $0) == getpid() })
            kill(launcher, SIGKILL)
            #expect(try await running.value == .exited(128 + SIGKILL))
            #expect(try await RunningProcesses.isEmpty(mark))
            #expect(try ScratchFolders.left().isEmpty)
        }

        /// All that could have cleaned up was killed at the same time: the next process of converters does.
        @Test func foldersOfNobodyAreRemoved() async throws {
            let paths = [LandlockScratch.newPath(), LandlockScratch.newPath()]
            for path in paths {
                mkdir(path, 0o700)
                try Data("a file of a user".utf8).write(to: URL(fileURLWithPath: "\(path)/input.docx"))
                chown(path, geteuid() == 0 ? 65534 : geteuid(), getegid())
            }
            let folder = open(paths[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            #expect(ScratchUsage.hold(folder))
            let converter = ConverterProcess(
                .child(executable: ConverterProgram.path, sandbox: .landlock), atMost: 1)
            #expect(try await converter.abilities().sandbox == .landlock)
            await converter.shutdown()
            #expect(access(paths[0], F_OK) != 0 && access(paths[1], F_OK) == 0)
            close(folder)
            try FileManager.default.removeItem(atPath: paths[1])
        }

        @Test(arguments: SandboxTests.kinds) func aForkBombEnds(_ kind: Sandbox.Choice) async throws {
            let mark = HostileDocument.mark()
            var limits = Self.limits
            limits.wallSeconds = 1
            let end = try HostileDocument.run(["bomb"], mark: mark, in: .required(kind), limits: limits).end
            #expect(end == .outOfTime || end == .exited(128 + SIGKILL))
            #expect(try await RunningProcesses.isEmpty(mark))
        }

        /// Files that have no name any more take room, too, and are in no list of a folder.
        @Test(arguments: SandboxTests.kinds) func theDiskIsNotFilledByNamelessFiles(_ kind: Sandbox.Choice) async throws
        {
            let mark = HostileDocument.mark()
            var limits = Self.limits
            limits.wallSeconds = 5
            let watch = Task.detached { try await mostTaken() }
            let end = try HostileDocument.run(["fill"], mark: mark, in: .required(kind), limits: limits).end
            watch.cancel()
            // A tmpfs is full before anything is noticed; without one the launcher ends it, and long before its time.
            #expect(end == (kind == .landlock ? .exited(128 + SIGXFSZ) : .outOfTime))
            let most = try await watch.value
            #expect(most < 4 << 30, "\(most) bytes")
            #expect(try await RunningProcesses.isEmpty(mark))
        }
    }
}

/// The most bytes by which the disk of /tmp becomes fuller until the task is cancelled.
private func mostTaken() async throws -> Int64 {
    func free() -> Int64 {
        var system = statvfs()
        return statvfs("/tmp", &system) == 0 ? Int64(system.f_bavail) * Int64(system.f_frsize) : 0
    }
    let before = free()
    var taken: Int64 = 0
    while !Task.isCancelled {
        taken = max(taken, before - free())
        // A sample every so often: the kernel tells of no disk that becomes fuller.
        try? await Task.sleep(for: .milliseconds(20))
    }
    return taken
}
