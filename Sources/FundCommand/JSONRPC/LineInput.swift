import Dispatch
import Glibc
import Synchronization

/// Lines of a descriptor, read by a thread that may wait. Lines that are too long are left out, with a word.
final class LineInput: Sendable {
    /// One line, without its end.
    enum Line: Hashable, Sendable {
        case bytes([UInt8])
        /// Longer than the limit; all of it was passed over.
        case tooLong
    }

    /// The descriptor cannot be read, with its errno.
    struct Failure: Error { var number: Int32 }

    private static let pieceBytes = 64 << 10

    private struct State {
        /// Bytes that were read behind the last line.
        var rest: ArraySlice<UInt8> = []
        var isAtEnd = false
    }

    private let descriptor: Int32
    private let maxBytes: Int
    private let queue = DispatchQueue(label: "input")
    private let state = Mutex(State())

    /// - Parameters:
    ///   - descriptor: stays the caller's.
    ///   - maxBytes: limit of one line.
    init(_ descriptor: Int32, maxBytes: Int) { (self.descriptor, self.maxBytes) = (descriptor, maxBytes) }

    /// The next line; nil at the end. What stands behind the last line end is a line, too. Throws `Failure`.
    func next() async throws -> Line? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(with: Result { try state.withLock { try read(&$0) } })
            }
        }
    }

    private func read(_ state: inout State) throws -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            let end = state.rest.firstIndex(of: UInt8(ascii: "\n"))
            let piece = state.rest[..<(end ?? state.rest.endIndex)]
            isTooLong = isTooLong || line.count + piece.count > maxBytes
            if isTooLong { line = [] } else { line += piece }
            if let end {
                state.rest = state.rest[(end + 1)...]
                return isTooLong ? .tooLong : .bytes(line)
            }
            if state.isAtEnd {
                state.rest = []
                return isTooLong ? .tooLong : line.isEmpty ? nil : .bytes(line)
            }
            state.rest = try readPiece()[...]
            state.isAtEnd = state.rest.isEmpty
        }
    }

    /// Bytes as they come; none at the end.
    private func readPiece() throws -> [UInt8] {
        while true {
            var number: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
                let got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                number = got < 0 ? errno : 0
                count = max(0, got)
            }
            switch number {
            case 0: return bytes
            case EINTR: continue
            default: throw Failure(number: number)
            }
        }
    }
}
