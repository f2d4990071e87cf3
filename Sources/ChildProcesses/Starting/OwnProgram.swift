internal import CLinux
internal import Glibc

/// The program of this process.
package enum OwnProgram {
    /// Replaces this process by another run of its program, with the environment as it is. Signals have their first
    /// meaning then: threads of a pool block them, and both would be passed on. Returns only when it fails.
    /// - Parameters:
    ///   - arguments: without the name of the program.
    ///   - signals: those that this process ignores or handles.
    /// - Returns: the problem, see errno(3).
    package static func runAgain(_ arguments: [String], restoring signals: [Int32]) -> Int32 {
        for number in signals { signal(number, SIG_DFL) }
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        return CStrings.with(["fundmail"] + arguments) { words in
            execv("/proc/self/exe", words)
            return errno
        }
    }
}
