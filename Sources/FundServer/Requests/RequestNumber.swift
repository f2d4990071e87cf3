internal import Synchronization

/// An identifier of a request, unique over all runs of the server.
struct RequestNumber: Sendable {
    private static let run = UInt32.random(in: .min ... .max)
    private static let last = Atomic<UInt64>(0)

    private let value: UInt64

    static func next() -> RequestNumber {
        RequestNumber(value: last.add(1, ordering: .relaxed).newValue)
    }

    var text: String { String(Self.run, radix: 36) + "-" + String(value, radix: 36) }
}
