internal import ChildProcesses
internal import Glibc
import FundCore

/// Says to an administrator why a sandbox does not work, and what to do.
enum SandboxProblem {
    static func text(_ kind: ConverterAbilities.Sandbox, _ error: ProcessError) -> String {
        if kind == .namespaces, error.code == ENOENT { return "bwrap is not installed (package bubblewrap)" }
        return "\(name(kind)) cannot be started: \(error)"
    }

    static func text(_ kind: ConverterAbilities.Sandbox, _ end: SupervisedChild.End, errors: String) -> String {
        let line = errors.split(separator: "\n").last.map(String.init) ?? "it ended with \(end)"
        let what = "\(name(kind)) does not work: \(line)"
        guard kind == .namespaces else { return what }
        return setting(of: errors).map { "\(what) (\($0))" } ?? what
    }

    private static func name(_ kind: ConverterAbilities.Sandbox) -> String {
        kind == .namespaces ? "bwrap" : kind == .landlock ? "Landlock" : "no sandbox"
    }

    /// Settings of kernels and distributions that forbid user namespaces, and the values with which they do.
    private static let settings = [
        ("kernel.unprivileged_userns_clone", "0"), ("user.max_user_namespaces", "0"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1"),
    ]

    private static func setting(of errors: String) -> String? {
        for (name, value) in settings {
            let path = "/proc/sys/" + name.map { $0 == "." ? "/" : String($0) }.joined()
            guard let bytes = try? WholeFile.read(path, maxBytes: 64) else { continue }
            if ASCII.trimmed(bytes[...]).elementsEqual(value.utf8) {
                return "user namespaces are forbidden: sysctl \(name) is \(value)"
            }
        }
        return errors.contains("proc") ? "a container that hides parts of /proc forbids it" : nil
    }
}
