internal import ChildProcesses
internal import FundCore
internal import Glibc

/// Whether children of drives can be confined on this machine.
package enum DriveConfinement {
    private static let programs = [
        (RcloneCommand.program, "rclone is not installed (package rclone)"),
        (NamespaceWords.program, NamespaceProblem.withoutProgram),
    ]

    /// The reason for which they cannot, in words for an administrator; nil when they can. Starts one, and blocks for
    /// some 100 ms.
    /// - Parameter executable: a program that runs `DriveLauncher` for its command.
    package static func problem(executable: String = "/proc/self/exe") -> String? {
        if let missing = programs.first(where: { access($0.0, X_OK) != 0 }) { return missing.1 }
        do {
            let run = try RcloneRun(
                RcloneCommand(words: ["version"], maxSeconds: 20), EgressPolicy(rules: DriveRules()),
                executable: executable)
            let end = try run.run { _ in }
            return end.status == 0 ? nil : text(end.errors)
        } catch let error as DriveError {
            return text(error.detail ?? error.problem.text)
        } catch {
            return text("\(error)")
        }
    }

    private static func text(_ errors: String) -> String {
        let line = errors.split(separator: "\n").last.map(String.init) ?? "it ended at once"
        let reason = NamespaceProblem.setting(of: errors).map { " (\($0))" } ?? ""
        return "a process cannot be given a network of its own: \(line)\(reason)"
    }
}
