/// The reason for which a message is recorded without being fetched.
package struct Refusal: Sendable, Hashable {
    package var reason: Reason
    /// For people.
    package var detail: String

    package init(reason: Reason, detail: String) {
        self.reason = reason
        self.detail = detail
    }
}
