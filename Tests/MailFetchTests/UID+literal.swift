@testable import MailFetch

/// In tests a wrong number is a mistake of the test.
extension UID: ExpressibleByIntegerLiteral {
    init(integerLiteral value: UInt32) {
        guard let uid = UID(value) else { preconditionFailure("0 is no UID") }
        self = uid
    }
}
