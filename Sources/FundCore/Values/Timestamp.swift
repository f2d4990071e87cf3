internal import Glibc

/// A point in time to the second, as rows and JSON have it: seconds since 1970-01-01T00:00:00Z (POSIX time, which knows
/// no leap seconds), negative before.
package struct Timestamp: Sendable, Hashable, Codable, RawRepresentable, Comparable, CustomStringConvertible {
    package let rawValue: Int64

    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }

    /// - Parameter seconds: since 1970.
    @inlinable package init(_ seconds: Int64) { self.rawValue = seconds }

    /// By the clock of this machine.
    package static var now: Timestamp { Timestamp(Int64(time(nil))) }

    /// In decimal digits.
    package var description: String { String(rawValue) }

    @inlinable package static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }

    @inlinable package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }

    /// Without the fraction of a second of `time`. Times that a client gave may be anything: the sum stays in range.
    package static func + (first: Self, time: Duration) -> Self {
        let (sum, overflows) = first.rawValue.addingReportingOverflow(time.components.seconds)
        return Timestamp(!overflows ? sum : time < .zero ? .min : .max)
    }

    /// The time that lies `time` before `first`, within the same bounds as `+`.
    package static func - (first: Self, time: Duration) -> Self { first + (.zero - time) }

    /// The time that passed from `second` to `first`.
    package static func - (first: Self, second: Self) -> Duration {
        .seconds(first.rawValue) - .seconds(second.rawValue)
    }
}
