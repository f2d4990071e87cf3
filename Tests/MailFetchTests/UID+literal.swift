@testable import MailFetch

/// In tests a wrong number is a mistake of the test.
extension UID: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt32) { self = UID(value)! }
}
