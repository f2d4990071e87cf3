import FundCore
import MailConnection
import TestSupport

@testable import NewsFetch

extension LoopbackWeb {
    /// The whole web at this server, over addresses that `isAllowed` lets through. The limit is for tests that wait for
    /// it: beside all other tests an answer may take a minute.
    func reach(
        limit: Duration = .seconds(600),
        isAllowed: @escaping @Sendable (DialledAddress) -> Bool = { $0.bytes == [127, 0, 0, 1] }
    ) -> FetchReach {
        var reach = FetchReach.publicInternet
        reach.substitutes = ["::127.0.0.1:\(port)"]
        reach.limit = limit
        reach.isAllowed = isAllowed
        return reach
    }
}
