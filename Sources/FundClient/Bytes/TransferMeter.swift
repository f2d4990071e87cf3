internal import Synchronization

/// Receives how far one transfer is.
struct TransferMeter: Sendable {
    /// Sets the bytes that are there already, and the size of the whole where it is known.
    var set: @Sendable (_ bytes: Int64, _ size: Int64?) -> Void
    /// Adds bytes that came or went.
    var add: @Sendable (_ count: Int) -> Void

    /// Creates a meter that adds up.
    /// - Parameters:
    ///   - onSet: told the bytes that are there already, when an attempt begins.
    ///   - onPiece: told the bytes that are there after each piece, and the size of the piece.
    static func counting(
        onSet: @escaping @Sendable (Int64) -> Void, onPiece: @escaping @Sendable (_ bytes: Int64, _ piece: Int) -> Void
    ) -> TransferMeter {
        let count = TransferCount()
        return TransferMeter { bytes, _ in
            count.bytes.withLock { $0 = bytes }
            onSet(bytes)
        } add: { piece in
            let bytes = count.bytes.withLock { bytes in
                bytes += Int64(piece)
                return bytes
            }
            onPiece(bytes, piece)
        }
    }

    private final class TransferCount: Sendable { let bytes = Mutex<Int64>(0) }
}
