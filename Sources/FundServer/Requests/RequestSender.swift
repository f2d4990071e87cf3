internal import FundCore
internal import Synchronization

/// The user of a request, noted once they are authenticated.
final class RequestSender: Sendable {
    private static let nobody: User.ID = 0
    private let id = Atomic<User.ID>(RequestSender.nobody)

    var user: User.ID? {
        let id = id.load(ordering: .relaxed)
        return id == Self.nobody ? nil : id
    }

    func note(_ user: User.ID) { id.store(user, ordering: .relaxed) }
}
