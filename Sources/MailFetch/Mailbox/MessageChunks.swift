internal import FundCore

/// Makes chunks of messages that are found one by one: an end or a failure that comes after some of them is told with the next
/// chunk.
struct MessageChunks {
    private var isAtEnd = false
    private var failure: (any Error)?

    /// `hasMore` says whether another one is at hand without waiting for the server, or nearly so.
    mutating func next(
        atMost count: Int, hasMore: () -> Bool, _ next: () throws -> PendingMessage?
    ) throws -> [PendingMessage] {
        if let error = failure.take() { throw error }
        var chunk: [PendingMessage] = []
        while !isAtEnd, chunk.count < count, chunk.isEmpty || hasMore() {
            do {
                if let message = try next() { chunk.append(message) } else { isAtEnd = true }
            } catch {
                if chunk.isEmpty { throw error }
                failure = error
                break
            }
        }
        // The one after the end begins anew.
        if chunk.isEmpty { isAtEnd = false }
        return chunk
    }
}
