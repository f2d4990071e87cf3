internal import ChildProcesses
internal import Glibc
import FundCore

/// Runs programs that reach nothing but the bytes that they are given: one of three ways, found out once.
package struct Sandbox: Sendable {
    /// Which ways may be tried; tests force one.
    package enum Choice: String, Sendable, CaseIterable {
        case best, namespaces, landlock, none
    }

    let kind: ConverterAbilities.Sandbox
    /// Why it is not `namespaces`, in words for an administrator.
    let problem: String?
    /// This program, which also is the launcher of `LandlockLauncher`.
    let executable: String

    /// Finds out what works on this machine by running a program in it. Blocks for some 20 ms.
    ///
    /// - Parameters:
    ///   - executable: a program that runs `LandlockLauncher` for its command.
    init(_ choice: Choice = .best, executable: String) {
        self.executable = executable
        var problems: [String] = []
        for kind in [ConverterAbilities.Sandbox.namespaces, .landlock] {
            guard choice == .best || choice.rawValue == kind.rawValue else { continue }
            if let problem = Self.problem(with: kind, executable: executable) {
                problems.append(problem)
                continue
            }
            self.kind = kind
            problem = problems.isEmpty ? nil : problems.joined(separator: "; ")
            return
        }
        kind = .none
        problem = choice == .none ? "it is turned off" : problems.joined(separator: "; ")
    }

    private init(unproven kind: ConverterAbilities.Sandbox, executable: String) {
        (self.kind, self.executable, problem) = (kind, executable, nil)
    }

    /// Runs a program to its end. Blocks. Afterwards nothing is left of it but its output: what it started is dead.
    ///
    /// - Parameters:
    ///   - input: an open file; the program reads a copy of it.
    ///   - cancellation: the run is stopped as soon as the other end of this socket is closed; nil for never.
    func run(_ command: SandboxCommand, input: Int32?, cancellation: Int32? = nil) throws(ProcessError) -> SandboxRun {
        switch kind {
        case .namespaces: try NamespaceLauncher.run(command, input: input, cancellation: cancellation)
        case .landlock:
            try LandlockRun.run(command, executable: executable, input: input, cancellation: cancellation)
        case .none: throw ProcessError("no sandbox", code: ENOTSUP)
        }
    }

    private static let probeLimits = SandboxLimits(
        memoryBytes: 256 << 20, processorSeconds: 5, wallSeconds: 10, fileBytes: 1 << 20)

    /// Nil when a program runs in it and cannot read a file outside.
    private static func problem(with kind: ConverterAbilities.Sandbox, executable: String) -> String? {
        let command = SandboxCommand.script("test -r \"$1\" && ! cat /etc/passwd 2>&-", limits: probeLimits)
        do throws(ProcessError) {
            let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
            defer { close(nothing) }
            let run = try Sandbox(unproven: kind, executable: executable).run(command, input: nothing)
            if run.end == .exited(0) { return nil }
            return SandboxProblem.text(kind, run.end, errors: run.errors)
        } catch {
            return SandboxProblem.text(kind, error)
        }
    }
}
