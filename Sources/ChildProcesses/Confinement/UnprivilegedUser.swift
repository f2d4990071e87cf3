internal import Glibc

/// The user that root becomes before it runs programs of others: limits of processes do not bind root.
package enum UnprivilegedUser {
    /// Number of the user without rights and files of its own, on all Linux systems.
    package static let number: UInt32 = 65534

    /// Gives up root for good: setuid(2) of root sets all three. True also where this process is not root.
    package static func become() -> Bool {
        guard geteuid() == 0 else { return true }
        return setgroups(0, nil) == 0 && setgid(number) == 0 && setuid(number) == 0
    }
}
