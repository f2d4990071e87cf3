import ChildProcesses
import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundPreview

/// Whatever a converter does, in each of the sandboxes.
@Suite(.startsPrograms, .serialized) struct SandboxTests {
    static let kinds = [Sandbox.Choice.namespaces, .landlock]
    private static let limits = SandboxLimits(
        memoryBytes: 256 << 20, processorSeconds: 5, wallSeconds: 10, fileBytes: 1 << 20, scratchBytes: 16 << 20)

    private func end(
        _ choice: Sandbox.Choice, _ script: String, _ change: (inout SandboxLimits) -> Void = { _ in }
    ) throws -> (end: SupervisedChild.End, output: String) {
        var limits = Self.limits
        change(&limits)
        let input = try SampleFile(Array("input".utf8))
        let run = try Sandbox.required(choice).run(.script(script, limits: limits), input: input.descriptor)
        return (run.end, String(decoding: try run.output.bytes(atMost: 4 << 20), as: UTF8.self) + run.errors)
    }

    @Test(arguments: kinds) func aProgramReadsItsInputAndWritesItsOutput(_ kind: Sandbox.Choice) throws {
        #expect(try end(kind, "cat \"$1\"; exit 3") == (.exited(3), "input"))
        #expect(try end(kind, "kill -SEGV $$; exit 1").end == (kind == .landlock ? .exited(1) : .exited(139)))
        #expect(try end(kind, "cat; echo x > file; cat file").output == "x\n")
        #expect(
            try end(kind, "env | cut -d= -f1 | sort | head -3 | tr '\\n' ' '").output == "HOME LANG MALLOC_ARENA_MAX ")
    }

    /// Work that a user waits for has a part of the processors of its own; all else shares that of the process that
    /// started it (autogroups, sched(7)). The file is empty where nothing above called setsid(2), as in a container.
    @Test(.enabled(if: access("/proc/self/autogroup", R_OK) == 0), arguments: [false, true])
    func whatSomebodyWaitsForHasItsOwnPartOfTheProcessors(_ isAwaited: Bool) throws {
        let own = try String(contentsOfFile: "/proc/self/autogroup", encoding: .utf8)
        var command = SandboxCommand.script("cat /proc/self/autogroup", limits: Self.limits)
        command.isAwaited = isAwaited
        let run = try Sandbox.required(.namespaces).run(command, input: nil)
        let group = String(decoding: try run.output.bytes(atMost: 100), as: UTF8.self)
        #expect(run.end == .exited(0))
        let isOwn = group.hasPrefix("/autogroup-") && group != own
        #expect(isAwaited ? isOwn : group == own, "\(own)\(group)\(run.errors)")
    }

    @Test(.enabled(if: ConverterProgram.has("python3")), arguments: kinds)
    func aHostileProgramReachesNothing(_ kind: Sandbox.Choice) async throws {
        let outside = try Bystanders()
        let input = try SampleFile(Array("input".utf8))
        let run = try Sandbox.required(kind).run(HostileProgram.command(against: outside), input: input.descriptor)
        let output = String(decoding: try run.output.bytes(atMost: 65536), as: UTF8.self)
        #expect(output == "reached \n", "\(run.end) \(run.errors)")
        try outside.expectUntouched()
        #expect(FileWindow(descriptor: input.descriptor).bytes(at: 0, count: 10) == Array("input".utf8))
    }

    @Test(.enabled(if: ConverterProgram.has("python3"))) func theHostileProgramReachesMuchWithoutASandbox() throws {
        let outside = try Bystanders()
        let (program, pipe) = (Process(), Pipe())
        program.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        program.arguments = HostileProgram.openArguments(against: outside)
        program.currentDirectoryURL = URL(fileURLWithPath: outside.folder.path)
        program.standardOutput = pipe
        try program.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let reached = Set(output.dropFirst("reached ".count).split(separator: "\n")[0].components(separatedBy: ", "))
        let wanted: Set = [
            "passwords", "a file", "writing a file", "rights of a file", "TCP", "UDP", "a local socket",
            "its environment",
            "signals", "limits", "priorities", "memory files", "shared memory", "a local message",
        ]
        #expect(reached.isSuperset(of: wanted), "\(output)")
        #expect(outside.listeners.isReached)
    }

    @Test(arguments: kinds) func whatHangsIsKilledWithAllThatItStarted(_ kind: Sandbox.Choice) async throws {
        let mark = "100\(Int.random(in: 100_000...999_999))"
        let script = "sleep \(mark) & (sleep \(mark) &) ; setsid sleep \(mark) & nohup sleep \(mark) & sleep \(mark)"
        #expect(try end(kind, script) { $0.wallSeconds = 1 }.end == .outOfTime)
        #expect(try await RunningProcesses.isEmpty(mark))
    }

    @Test(arguments: kinds) func whatAProgramLeavesBehindIsKilled(_ kind: Sandbox.Choice) async throws {
        let mark = "100\(Int.random(in: 100_000...999_999))"
        #expect(try end(kind, "sleep \(mark) & setsid sleep \(mark) & exit 0").end == .exited(0))
        #expect(try await RunningProcesses.isEmpty(mark))
    }

    @Test(arguments: kinds) func aForkBombIsBoundedAndKilled(_ kind: Sandbox.Choice) async throws {
        let mark = "100\(Int.random(in: 100_000...999_999))"
        let script = "bomb() { bomb | bomb & }; bomb 2>&-; sleep \(mark) & sleep \(mark)"
        _ = try end(kind, script) { $0.wallSeconds = 2 }
        #expect(try await RunningProcesses.isEmpty(mark))
    }

    @Test(arguments: kinds) func limitsHold(_ kind: Sandbox.Choice) throws {
        let output = try end(kind, "exec yes")
        #expect(output.end == .exited(128 + SIGXFSZ))
        #expect(output.output.utf8.count == 1 << 20)
        let memory = try end(kind, "exec tail -c 1G /dev/zero") { $0.memoryBytes = 64 << 20 }
        #expect(memory.end != .exited(0))
        let time = try end(kind, "while :; do :; done") { $0.processorSeconds = 1 }
        #expect([.exited(128 + SIGXCPU), .exited(128 + SIGKILL)].contains(time.end))
        #expect(try end(kind, "ulimit -c; ulimit -n").output == "0\n128\n")
    }

    /// The script waits at its end, so that the launcher has time to see how much it has written.
    @Test(arguments: kinds) func theDiskIsNotFilled(_ kind: Sandbox.Choice) throws {
        let script =
            "n=0; while [ $n -lt 200 ]; do head -c 1000000 /dev/zero > f$n || exit 7; n=$((n+1)); done; sleep 1"
        #expect(try [.exited(7), .exited(128 + SIGXFSZ)].contains(end(kind, script).end))
        #expect(try ScratchFolders.left().isEmpty)
    }

    @Test(arguments: kinds) func aClosedConnectionEndsARun(_ kind: Sandbox.Choice) async throws {
        let (own, other) = try LocalSocket.pair(.messages)
        defer { close(other) }
        let mark = "100\(Int.random(in: 100_000...999_999))"
        let sandbox = try Sandbox.required(kind)
        DispatchQueue.global().async {
            let limit = ContinuousClock.now + .seconds(60)
            while RunningProcesses.with(mark).isEmpty, .now < limit {}
            close(own)
        }
        let run = try sandbox.run(
            .script("sleep \(mark)", limits: Self.limits), input: nil, cancellation: other)
        #expect(run.end == .cancelled)
        #expect(try await RunningProcesses.isEmpty(mark))
    }

    @Test func withoutASandboxNothingRuns() throws {
        let sandbox = Sandbox(.none, executable: ConverterProgram.path)
        #expect(sandbox.kind == .none)
        #expect(sandbox.problem != nil)
        #expect(throws: ProcessError.self) { _ = try sandbox.run(.script("true", limits: Self.limits), input: nil).end }
        let broken = Sandbox(.landlock, executable: "/nonexistent")
        #expect(broken.kind == .none)
        #expect(broken.problem?.contains("Landlock") == true)
    }
}
