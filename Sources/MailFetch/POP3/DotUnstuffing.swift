internal import MailConnection
internal import FundCore

/// Finds the end of a multi-line answer and takes off the dots that were put before dots (RFC 1939 §3). Only `.` alone
/// on a line that CRLF began and CRLF ends is the end; nothing else is, however it looks.
struct DotUnstuffing {
    private enum State { case lineStart, carriageReturn, text, dot, dotCarriageReturn }

    private var state = State.lineStart
    private(set) var isComplete = false

    /// Emits the plain bytes of a chunk in pieces. Returns how many bytes it took: fewer than all only at the end.
    mutating func feed(
        _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(ConnectionError) -> Void
    ) throws(ConnectionError) -> Int {
        var from = 0
        while from < bytes.count, !isComplete {
            switch state {
            case .dot:
                // The dot is not part of the text, whatever follows it.
                state = bytes[from] == .cr ? .dotCarriageReturn : .text
                if state == .dotCarriageReturn { from += 1 }
            case .dotCarriageReturn:
                if bytes[from] == .lf {
                    isComplete = true
                    from += 1
                } else {
                    try [UInt8.cr][...].withBytes(emit)
                    state = .carriageReturn
                }
            case .lineStart, .carriageReturn, .text:
                let stop = stuffedDot(in: bytes, from: from)
                let end = stop ?? bytes.count
                if end > from { try emit(UnsafeRawBufferPointer(rebasing: bytes[from..<end])) }
                state = stop == nil ? stateAfter(bytes, from: from) : .dot
                from = end + (stop == nil ? 0 : 1)
            }
        }
        return from
    }

    /// The next dot at the beginning of a line. Dots are rare, so they are what is looked for.
    private func stuffedDot(in bytes: UnsafeRawBufferPointer, from: Int) -> Int? {
        var search = from
        while let dot = bytes.firstOffset(of: .dot, from: search) {
            if isLineStart(dot, bytes, from: from) { return dot }
            search = dot + 1
        }
        return nil
    }

    private func isLineStart(_ index: Int, _ bytes: UnsafeRawBufferPointer, from: Int) -> Bool {
        switch index - from {
        case 0: state == .lineStart
        case 1: bytes[from] == .lf && state == .carriageReturn
        default: bytes[index - 1] == .lf && bytes[index - 2] == .cr
        }
    }

    private func stateAfter(_ bytes: UnsafeRawBufferPointer, from: Int) -> State {
        if isLineStart(bytes.count, bytes, from: from) { return .lineStart }
        return bytes[bytes.count - 1] == .cr ? .carriageReturn : .text
    }
}
