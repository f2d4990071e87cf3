internal import Glibc

/// Runs programs under another clock: Debian's faketime. The monotonic clock stays what it is, as when an administrator
/// sets the clock.
package enum Faketime {
    /// For `.enabled(if:)`: false where it is not installed, with a warning on standard error. Where CI=true the tests
    /// run, and fail.
    package static let isUsable: Bool = {
        guard ServerProcess.find("faketime") == nil, getenv("CI").map({ String(cString: $0) }) != "true" else {
            return true
        }
        let line = "\n*** SKIPPED: every test of the clock. Not installed: faketime. Run scripts/setup test.\n\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        return false
    }()

    /// faketime(1) does not start where a killed one with its process identifier left a semaphore. The library alone,
    /// without that command, sets a variable before `main`, and Swift's runtime finds no arguments then.
    private static let wrapper = [
        "/bin/sh", "-c", #"rm -f "/dev/shm/sem.faketime_sem_$$" "/dev/shm/faketime_shm_$$"; exec faketime "$@""#,
        "faketime", "--exclude-monotonic", "-f",
    ]

    /// Words in front of a program whose clock is this far off.
    package static func shifted(byDays days: Int) -> [String] { wrapper + [shift(byDays: days)] }

    /// Words in front of a program whose clock is this far off.
    package static func shifted(byHours hours: Int) -> [String] {
        wrapper + ["\(hours < 0 ? "-" : "+")\(abs(hours))h"]
    }

    /// Such words start a child and wait for it.
    static func isWrapper(_ prefix: [String]) -> Bool { prefix.starts(with: wrapper) }

    /// Words in front of a program whose clock follows `file`, which `set` writes, at once.
    package static func following(_ file: String) -> [String] {
        // The wrapper's own shift would win over the file.
        wrapper + ["+0", "env", "-u", "FAKETIME"]
            + ["FAKETIME_TIMESTAMP_FILE=\(file)", "FAKETIME_NO_CACHE=1"]
    }

    /// Sets the clock of the programs that follow `file`.
    package static func set(_ file: String, days: Int) throws {
        // Whole at any moment, since it is read at any moment.
        try TestFile.write("\(shift(byDays: days))\n", to: file + ".new")
        guard rename(file + ".new", file) == 0 else { throw ServerFailure("rename \(file): \(errno)") }
    }

    private static func shift(byDays days: Int) -> String { "\(days < 0 ? "-" : "+")\(abs(days))d" }
}
