/// The authenticated sender of a request: a number by which the server above knows it.
package struct SenderID: Sendable, Hashable {
    private let number: Int64

    package init(_ number: Int64) { self.number = number }
}
