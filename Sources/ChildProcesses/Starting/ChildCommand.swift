internal import CLinux
internal import Glibc

/// A program and how it is started as a child. It leads a process group of its own, and inherits no descriptor but
/// those that are named.
package struct ChildCommand: Sendable {
    package var program: String
    /// Its name and arguments.
    package var words: [String]
    /// The whole environment, as `NAME=value`.
    package var variables: [String]
    /// Descriptor n of the child, 8 at most; -1 stands for /dev/null, for reading.
    package var descriptors: [Int32]
    /// Leads a session, too, whose share of the processors is as large as that of any other session (autogroups,
    /// sched(7)); otherwise it belongs to the session of this process.
    package var hasOwnSession: Bool
    /// Signals that this process ignores stay ignored in the child, except SIGPIPE.
    package var keepsIgnoredSignals: Bool

    package init(
        _ program: String, words: [String], variables: [String], descriptors: [Int32] = [], hasOwnSession: Bool = false,
        keepsIgnoredSignals: Bool = false
    ) {
        self.program = program
        self.words = words
        self.variables = variables
        self.descriptors = descriptors
        self.hasOwnSession = hasOwnSession
        self.keepsIgnoredSignals = keepsIgnoredSignals
    }

    /// This program with other arguments. Its environment: one malloc arena, since little is ever held and memory is
    /// measured; no backtrace, for a quick crash.
    package init(
        fundmail executable: String, arguments: [String], descriptors: [Int32], hasOwnSession: Bool = false,
        keepsIgnoredSignals: Bool = false
    ) {
        self.init(
            executable, words: ["fundmail"] + arguments,
            variables: ["LANG=C.UTF-8", "PATH=/usr/bin:/bin", "MALLOC_ARENA_MAX=1", "SWIFT_BACKTRACE=enable=no"],
            descriptors: descriptors, hasOwnSession: hasOwnSession, keepsIgnoredSignals: keepsIgnoredSignals)
    }

    /// Starts the program. Does not wait for its end.
    package func start() throws(ProcessError) -> ChildHandle {
        var pid: pid_t = 0
        let code = CStrings.with(words) { words in
            CStrings.with(variables) { variables in
                fundmail_spawn(
                    hasOwnSession ? 1 : 0, &pid, program, words, variables, descriptors, Int32(descriptors.count),
                    keepsIgnoredSignals ? SIGPIPE : 0)
            }
        }
        guard code == 0 else { throw ProcessError(program, code: code) }
        return ChildHandle(pid: pid)
    }
}
