internal import Foundation

/// Times that come from file systems and servers may lie beyond what a number holds: they are taken for the nearest
/// that it does.
extension Int64 {
    fileprivate static let nanosecondsPerSecond: Int64 = 1_000_000_000

    /// Nanoseconds of whole seconds and a rest: from the year 1677 to 2262.
    init(clampedSeconds seconds: Int64, nanoseconds: Int64) {
        let (product, isTooFar) = seconds.multipliedReportingOverflow(by: Self.nanosecondsPerSecond)
        let (sum, isTooFarWithRest) = product.addingReportingOverflow(nanoseconds)
        self = !isTooFar && !isTooFarWithRest ? sum : seconds < 0 ? .min : .max
    }

    /// Nanoseconds of a duration.
    init(clamped duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(clampedSeconds: seconds, nanoseconds: attoseconds / Self.nanosecondsPerSecond)
    }

    /// Rounds a number down; 0 for NaN.
    init(clamped number: Double) {
        let floor = number.rounded(.down)
        self = Int64(exactly: floor) ?? (floor.isNaN ? 0 : floor < 0 ? .min : .max)
    }
}

extension Date {
    /// The whole second in which a time lies.
    /// - Parameter nanoseconds: since 1970.
    init(secondOf nanoseconds: Int64) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: .nanosecondsPerSecond)
        self.init(timeIntervalSince1970: Double(rest < 0 ? seconds - 1 : seconds))
    }

    /// Whole seconds since 1970.
    var secondsSince1970: Int64 { Int64(clamped: timeIntervalSince1970) }
}
