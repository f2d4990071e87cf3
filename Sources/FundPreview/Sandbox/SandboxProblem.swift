internal import ChildProcesses
internal import Glibc
import FundCore

/// Says to an administrator why a sandbox does not work, and what to do.
enum SandboxProblem {
    static func text(_ kind: ConverterAbilities.Sandbox, _ error: ProcessError) -> String {
        if kind == .namespaces, error.code == ENOENT { return NamespaceProblem.withoutProgram }
        return "\(name(kind)) cannot be started: \(error)"
    }

    static func text(_ kind: ConverterAbilities.Sandbox, _ end: SupervisedChild.End, errors: String) -> String {
        let line = errors.split(separator: "\n").last.map(String.init) ?? "it ended with \(end)"
        let what = "\(name(kind)) does not work: \(line)"
        guard kind == .namespaces else { return what }
        return NamespaceProblem.setting(of: errors).map { "\(what) (\($0))" } ?? what
    }

    private static func name(_ kind: ConverterAbilities.Sandbox) -> String {
        kind == .namespaces ? "bwrap" : kind == .landlock ? "Landlock" : "no sandbox"
    }
}
