package import FundCore

/// Text or bytes that may not stand in a letter, or may not be given to a server.
package struct MessageError: OperationalError, Sendable, Hashable, CustomStringConvertible {
    /// The reason of a refusal.
    package enum Problem: Sendable, Hashable {
        /// CR, LF, NUL or another control: in a header or a command it would begin something else.
        case control
        case notAnAddress
        /// The local part has letters beyond ASCII, which only servers with SMTPUTF8 take (RFC 6531).
        case addressBeyondASCII
        case notAMediaType
        case noRecipient
        /// A CR or LF of a message that stands alone: servers disagree where its line ends.
        case bareLineEnd
        /// A byte of a message that needs 8BITMIME (RFC 6152).
        case eightBit
        /// A line of a message with more than 998 bytes (RFC 5321 §4.5.3.1.6).
        case longLine
    }

    package var problem: Problem
    /// The part of the letter that is meant: `Subject`.
    package var field: String

    package init(_ problem: Problem, in field: String) {
        self.problem = problem
        self.field = field
    }

    package var condition: ErrorCondition { .input }
    package var isTemporary: Bool { false }

    /// Never repeats the text that was refused.
    package var description: String {
        switch problem {
        case .control: "\(field) holds a line end or another control character"
        case .notAnAddress: "\(field) is no address, as ann@example.com is one"
        case .addressBeyondASCII: "\(field) has letters beyond ASCII in front of the @, which most servers do not take"
        case .notAMediaType: "\(field) is no type, as text/plain is one"
        case .noRecipient: "\(field) names nobody"
        case .bareLineEnd: "\(field) has a line that does not end in CR LF"
        case .eightBit: "\(field) has bytes beyond ASCII"
        case .longLine: "\(field) has a line of more than 998 bytes"
        }
    }
}
