internal import ChildProcesses
internal import Glibc
import FundCore

/// The child's side of the pool: what `fundmail parse-worker` runs.
package enum ParseWorkerMain {
    package static let command = "parse-worker"

    /// The stack on which GMime runs, whatever `ulimit -s` says. GMime recurses for each nested group of an address
    /// field and each level of MIME; what passes the scan before it needs less than 1 MiB.
    static let stackBytes = 16 << 20

    /// Where iconv(3) has the converters that it loads when a message needs one: on Debian, and elsewhere.
    private static let converters = [
        "/usr/lib/x86_64-linux-gnu/gconv", "/usr/lib/aarch64-linux-gnu/gconv", "/usr/lib64/gconv", "/usr/lib/gconv",
    ]

    /// Serves requests until the parent goes away. Returns the exit status when it cannot.
    package static func run() -> Int32 {
        guard ChildLimits.apply() else { return 71 }  // EX_OSERR of sysexits.h
        // Before the other thread starts: each thread has its own, and what it takes over from the one that made it.
        let confinement = ChildConfinement.confineFiles(to: converters)
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
        var socket = pollfd(fd: 0, events: LocalSocket.hungUp, revents: 0)
        _exit(SystemCall.retrying { Int(poll(&socket, 1, -1)) } > 0 ? 0 : 71)
    }
}

/// Limits of a child, which it sets itself before it reads any input.
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
        ProcessSettings.lower(.addressSpace, to: addressSpaceBytes)
            && ProcessSettings.lower(.fileSize, to: fileBytes) && ProcessSettings.lower(.openFiles, to: openFiles)
            && ProcessSettings.lower(.coreSize, to: 0) && ProcessSettings.forbidNewPrivileges()
            && ProcessSettings.hideMemory()
    }
}
