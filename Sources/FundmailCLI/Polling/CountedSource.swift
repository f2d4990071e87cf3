import Ingest
import Synchronization

/// Counts what a source offers, so that what was seen and not stored is known when a run ends early.
final class CountedSource: MessageSource {
    private let source: any MessageSource
    private let count = Atomic<Int>(0)

    init(_ source: any MessageSource) { self.source = source }

    /// Messages offered so far.
    var offered: Int { count.load(ordering: .relaxed) }

    func next(atMost count: Int) async throws -> [PendingMessage] {
        let messages = try await source.next(atMost: count)
        self.count.add(messages.count, ordering: .relaxed)
        return messages
    }

    func acknowledge(_ messages: [StoredMessage]) async throws { try await source.acknowledge(messages) }

    func finish() async throws { try await source.finish() }
}
