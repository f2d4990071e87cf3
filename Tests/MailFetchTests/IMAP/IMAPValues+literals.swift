@testable import MailFetch

/// In tests a wrong number is a mistake of the test.
extension IMAPNumber: ExpressibleByIntegerLiteral {
    init(integerLiteral value: UInt32) {
        guard let number = Self(value) else { preconditionFailure("0 is no UID") }
        self = number
    }
}

extension IMAPTag: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text: text) }
}
