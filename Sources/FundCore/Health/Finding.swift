/// One line of what a check of the whole set-up found.
package struct Finding: Sendable, Hashable {
    /// The urgency of a finding.
    package enum Level: String, Sendable, CaseIterable {
        case ok, warning, failure
    }

    package var level: Level
    /// The subject: `configuration`, `store`, `disk`, `parser` …, or `mailbox` and its name.
    package var subject: String
    /// The name of the mailbox that it is about; nil for the others.
    package var mailbox: String?
    /// For people: what is so, and for all but `ok` what to do next. It holds no secrets.
    package var text: String

    package init(_ level: Level, subject: String, mailbox: String? = nil, _ text: String) {
        (self.level, self.subject, self.mailbox, self.text) = (level, subject, mailbox, text)
    }
}
