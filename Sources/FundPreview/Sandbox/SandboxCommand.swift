internal import ChildProcesses
internal import ChildProcesses

/// A program that is run in a sandbox. What a file says, its name included, never gets in here.
struct SandboxCommand: Sendable {
    /// A word of a command line.
    enum Word: Sendable, ExpressibleByStringInterpolation {
        case text(String)
        /// The path of the input inside.
        case input
        /// The path of the input, with a text behind it.
        case inputWith(String)

        init(stringLiteral value: String) { self = .text(value) }
    }

    /// An absolute path below /usr.
    var program: String
    var arguments: [Word]
    var limits: SandboxLimits
    /// The end of the input's name inside, by which some programs choose a reader: `.docx`.
    var suffix = ""
    /// Talks to itself over local sockets, and looks at itself in /proc: soffice.
    var needsLocalSockets = false
    /// It shares the processors with all other programs alike, and does not stand behind them as the process of
    /// converters does.
    var isAwaited = false

    /// A constant script for sh(1), which finds the input's path in `$1` and further numbers behind it.
    static func script(_ text: String, _ values: [String] = [], limits: SandboxLimits) -> SandboxCommand {
        let words: [Word] = [.text("-c"), .text(text), .text("sh"), .input] + values.map { .text($0) }
        return SandboxCommand(program: "/usr/bin/sh", arguments: words, limits: limits)
    }
}

/// Limits of a program in a sandbox.
struct SandboxLimits: Sendable, Hashable {
    /// Address space of each process, in bytes.
    var memoryBytes: UInt64
    /// Processor time of each process.
    var processorSeconds: UInt64
    var wallSeconds: Double
    /// Bytes of the output, and of each file that it writes.
    var fileBytes: UInt64
    /// All files together that it writes, in bytes.
    var scratchBytes: UInt64 = 256 << 20
    /// Processes and threads.
    var processes: UInt64 = 24
    /// Open files of each process.
    var descriptors: UInt64 = 128

    /// Twice the memory and the time.
    var doubled: SandboxLimits {
        var limits = self
        limits.memoryBytes *= 2
        limits.processorSeconds *= 2
        limits.wallSeconds *= 2
        return limits
    }
}

/// How a program in a sandbox ended.
struct SandboxRun: ~Copyable {
    var end: SupervisedChild.End
    /// Processor time of all its processes together; nil where it is not known: in namespaces, unless this process
    /// adopts orphans.
    var processorSeconds: Double?
    /// The beginning of what it wrote to standard error.
    var errors: String
    /// Standard output of the program.
    let output: MemoryFile
}
