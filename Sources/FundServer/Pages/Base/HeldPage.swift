internal import Hummingbird
internal import Synchronization

/// The page that an act answers with, until the shell beside it is read: after the act, so that it counts what the act
/// changed, and not at all where the answer leads to another page.
final class HeldPage: Sendable {
    typealias Sidebar = @Sendable (_ fund: String?) -> PageModel

    private let made = Mutex<(@Sendable (Sidebar?) -> Response)?>(nil)

    func keep(_ make: @escaping @Sendable (Sidebar?) -> Response) { made.withLock { $0 = make } }

    /// The page with its shell; nil when the act answered with none.
    func response(_ sidebar: () async throws -> Sidebar?) async rethrows -> Response? {
        guard let make = made.withLock({ $0 }) else { return nil }
        return make(try await sidebar())
    }
}
