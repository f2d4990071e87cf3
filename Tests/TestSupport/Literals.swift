package import FundCore

/// Tests write ids and times as numbers.
extension ID: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self.init(value) }
}

/// Seconds since 1970.
extension Timestamp: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self.init(value) }
}
