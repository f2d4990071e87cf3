import CLinux
internal import Glibc
import FundCore

/// The child's side of the pool: what `fundmail parse-worker` runs.
package enum ParseWorkerMain {
    package static let command = "parse-worker"

    /// The stack on which GMime runs, whatever `ulimit -s` says. GMime recurses for each nested group of an address
    /// field and each level of MIME; what passes the scan before it needs less than 1 MiB.
    static let stackBytes = 16 << 20

    /// Serves requests until the parent goes away. Returns the exit status when it cannot.
    package static func run() -> Int32 {
        guard ChildLimits.apply() else { return 71 }  // EX_OSERR of sysexits.h
        // Before the other thread starts: each thread has its own, and what it takes over from the one that made it.
        let confinement = ChildConfinement.confineFiles()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        guard pthread_attr_setstacksize(&attributes, stackBytes) == 0 else { return 71 }
        var thread = pthread_t()
        let serve: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { confinement in
            guard var loop = RequestLoop() else { exit(71) }
            exit(loop.run(ChildConfinement(rawValue: UInt8(UInt(bitPattern: confinement)))))
        }
        let given = UnsafeMutableRawPointer(bitPattern: UInt(confinement.rawValue))
        guard pthread_create(&thread, &attributes, serve, given) == 0 else { return 71 }
        waitForParentToGo()
    }

    /// This thread ends the process as soon as the parent is gone, even while the other hangs in a message. (Not
    /// PR_SET_PDEATHSIG: it fires when the thread that started this process ends, as dispatch's idle ones do.)
    private static func waitForParentToGo() -> Never {
        let hungUp = Int16(0x2000)  // POLLRDHUP, which glibc shows only under _GNU_SOURCE
        var socket = pollfd(fd: 0, events: hungUp, revents: 0)
        _exit(SystemCall.retrying { Int(poll(&socket, 1, -1)) } > 0 ? 0 : 71)
    }
}

/// What a child may not do, set by itself before it reads any input.
enum ChildLimits {
    /// Address space. The program, its libraries and the parser's stack take 104 MiB of it (measured), a message of any
    /// size next to nothing more: GMime reads from the file. The rest bounds what hostile structure can take.
    static let addressSpaceBytes: UInt64 = 1 << 30
    /// The pack of a message just below GMime's 2 GiB, with nested messages filed whole and in parts.
    static let fileBytes: UInt64 = 8 << 30
    /// Standard input, output and error, the pack, memory with messages, a message, a directory and files of gconv.
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
