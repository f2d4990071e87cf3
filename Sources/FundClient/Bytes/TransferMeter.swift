/// Receives how far one transfer is.
struct TransferMeter: Sendable {
    /// Sets the bytes that are there already, and the size of the whole where it is known.
    var set: @Sendable (_ bytes: Int64, _ size: Int64?) -> Void
    /// Adds bytes that came or went.
    var add: @Sendable (_ count: Int) -> Void
}
