internal import FundCore
import Synchronization

/// A spooled message on its way to the pipeline: the file goes when nobody takes it.
final class SpooledHandover: Sendable {
    private let message: Mutex<SpooledMessage?>

    init(_ message: SpooledMessage) { self.message = Mutex(message) }

    deinit { message.withLock { $0?.discard() } }

    func take() throws(FetchError) -> SpooledMessage {
        guard let message = message.withLock({ $0.take() }) else {
            throw FetchError(.messageUnavailable, during: "handing over", "taken already")
        }
        return message
    }
}
