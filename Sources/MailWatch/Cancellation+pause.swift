import Dispatch
import FundCore
package import MailFetch

extension Cancellation {
    /// Sleeps without holding a thread of Swift's pool. False when cancelled meanwhile.
    @discardableResult
    package func pause(for time: Duration) async -> Bool {
        await DispatchQueue(label: "fundmail.pause").run { self.sleep(for: time) }
    }
}
