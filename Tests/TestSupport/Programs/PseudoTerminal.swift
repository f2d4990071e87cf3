internal import Glibc
internal import Synchronization

/// A terminal at which the test is the person: it sees what a program shows there, and types.
package final class PseudoTerminal: Sendable {
    /// The person's end.
    private let person: Int32
    /// The end that a program gets as its standard input, output and error.
    let program: Int32
    private let seen = Mutex<[UInt8]>([])

    /// ioctl_tty(2): unlocks the program's end, and gives its number.
    private static let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    package init() throws {
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var (isLocked, name): (Int32, UInt32) = (0, 0)
        guard person >= 0, ioctl(person, Self.unlock, &isLocked) == 0, ioctl(person, Self.number, &name) == 0 else {
            throw ServerFailure("no terminal: \(errno)")
        }
        program = open("/dev/pts/\(name)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard program >= 0 else {
            close(person)
            throw ServerFailure("no terminal: \(errno)")
        }
    }

    deinit {
        close(person)
        close(program)
    }

    /// Everything that it showed so far.
    package var shown: String {
        seen.withLock { seen in
            var piece = [UInt8](repeating: 0, count: 4096)
            while case let count = read(person, &piece, piece.count), count > 0 { seen += piece[..<count] }
            return String(decoding: seen, as: UTF8.self)
        }
    }

    /// Whether it shows nothing of what is typed, as while a password is asked for.
    package var isSilent: Bool {
        var state = termios()
        return tcgetattr(program, &state) == 0 && state.c_lflag & tcflag_t(ECHO) == 0
    }

    package func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard write(person, bytes, bytes.count) == bytes.count else { throw ServerFailure("typing: \(errno)") }
    }
}
