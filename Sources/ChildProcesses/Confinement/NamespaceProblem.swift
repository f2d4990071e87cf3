internal import FundCore

/// Reasons for which a machine has no namespaces for programs, in words for an administrator.
package enum NamespaceProblem {
    package static let withoutProgram = "bwrap is not installed (package bubblewrap)"

    /// Settings of kernels and distributions that forbid user namespaces, and the values with which they do.
    private static let settings = [
        ("kernel.unprivileged_userns_clone", "0"), ("user.max_user_namespaces", "0"), ("user.max_net_namespaces", "0"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1"),
    ]

    /// The setting that forbids them; nil when none is found.
    /// - Parameter errors: what bwrap wrote.
    package static func setting(of errors: String) -> String? {
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
