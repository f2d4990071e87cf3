import Dispatch
package import MailFetch

extension Cancellation {
    /// Sleeps without holding a thread of Swift's pool. False when cancelled meanwhile.
    @discardableResult
    package func pause(for time: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "fundmail.pause").async { continuation.resume(returning: self.sleep(for: time)) }
        }
    }
}
