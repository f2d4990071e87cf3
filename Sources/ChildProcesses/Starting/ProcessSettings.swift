internal import CLinux
internal import Glibc

/// Settings that a process makes for itself. All but `giveWay` return false when the kernel refuses.
package enum ProcessSettings {
    /// Programs that this process starts get no more rights than it has (PR_SET_NO_NEW_PRIVS). Confinement needs it.
    package static func forbidNewPrivileges() -> Bool { fundmail_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 }

    /// Other processes of the same user can neither trace this one nor read its memory (PR_SET_DUMPABLE).
    package static func hideMemory() -> Bool { fundmail_prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 }

    /// Descendants that lose their parent become children of this process, which can then wait for them.
    package static func adoptOrphans() -> Bool { fundmail_prctl(36 /* PR_SET_CHILD_SUBREAPER */, 1, 0, 0, 0) == 0 }

    /// Takes the last place among processes for processor and disk.
    package static func giveWay() { fundmail_give_way() }

    /// Limits of setrlimit(2).
    package enum Limit: Sendable {
        case addressSpace, fileSize, openFiles, coreSize
        /// Processes and threads of the user; does not bind root.
        case processes

        fileprivate var resource: Int32 {
            switch self {
            case .addressSpace: Int32(RLIMIT_AS.rawValue)
            case .fileSize: Int32(RLIMIT_FSIZE.rawValue)
            case .openFiles: Int32(RLIMIT_NOFILE.rawValue)
            case .coreSize: Int32(RLIMIT_CORE.rawValue)
            case .processes: Int32(__RLIMIT_NPROC.rawValue)
            }
        }
    }

    /// Lowers a limit to `value`; one that is lower stays.
    package static func lower(_ limit: Limit, to value: UInt64) -> Bool {
        fundmail_lower_limit(limit.resource, value) == 0
    }
}
