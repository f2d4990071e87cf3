import CLinux
internal import Glibc

/// What a child may not do, set by itself before it reads any input.
enum ChildLimits {
    /// Address space. The program, its libraries and the parser's stack take 104 MiB of it (measured), a message of any
    /// size next to nothing more: GMime reads from the file. The rest bounds what hostile structure can take.
    static let addressSpaceBytes: UInt64 = 1 << 30
    /// The pack of a message just below GMime's 2 GiB, with nested messages filed whole and in parts.
    static let fileBytes: UInt64 = 8 << 30
    /// Standard input, output and error, the pack, the message, a directory and files of gconv.
    static let openFiles: UInt64 = 16

    /// False when one of them cannot be set.
    static func apply() -> Bool {
        set(RLIMIT_AS, addressSpaceBytes) && set(RLIMIT_FSIZE, fileBytes) && set(RLIMIT_NOFILE, openFiles)
            && set(RLIMIT_CORE, 0)
            && fundmail_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            // Other processes of this user can neither trace a child nor read its memory.
            && fundmail_prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
    }

    /// Once all threads run: no process and no thread can be made any more (not binding for root).
    static func forbidProcesses() { _ = set(__RLIMIT_NPROC, 0) }

    private static func set(_ resource: __rlimit_resource, _ value: UInt64) -> Bool {
        fundmail_lower_limit(Int32(resource.rawValue), value) == 0
    }
}
