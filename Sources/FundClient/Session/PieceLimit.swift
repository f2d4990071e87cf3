internal import Synchronization

/// Limit for the body of a request, as far as a proxy before the server has refused larger ones.
final class PieceLimit: Sendable {
    /// Pieces that are tried one after the other, in bytes. nginx takes 1 MiB unless it is told otherwise.
    private static let sizes: [Int64] = [4 << 20, 1_000_000, 250_000]

    private let bytes = Mutex<Int64?>(nil)

    /// The limit in bytes; nil while no body was refused.
    var current: Int64? { bytes.withLock { $0 } }

    /// Notes that a body of so many bytes was refused. False when there is no smaller size left to try.
    func lower(below refused: Int64) -> Bool {
        guard let next = Self.sizes.first(where: { $0 < refused }) else { return false }
        bytes.withLock { $0 = min($0 ?? next, next) }
        return true
    }
}
