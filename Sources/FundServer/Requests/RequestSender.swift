internal import FundCore
internal import Synchronization

/// The user of a request, noted once they are authenticated.
final class RequestSender: Sendable {
    /// An id, or 0 as long as none is known: ids begin at 1.
    private let id = Atomic<Int64>(0)

    var user: User.ID? {
        let id = id.load(ordering: .relaxed)
        return id == 0 ? nil : User.ID(id)
    }

    func note(_ user: User.ID) { id.store(user.rawValue, ordering: .relaxed) }
}
