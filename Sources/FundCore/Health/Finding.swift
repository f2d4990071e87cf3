/// One line of what a check of the whole set-up found.
package struct Finding: Sendable, Hashable {
    /// The urgency of a finding.
    package enum Level: String, Sendable, CaseIterable {
        case ok, warning, failure
    }

    /// The part of the set-up that was looked at.
    package enum Subject: String, Sendable, CaseIterable {
        case configuration, trust, server, store, disk, parser, mailbox
        /// Letters that go out.
        case smtp
        /// Profiles of devices.
        case profiles
        /// The company's directory of people.
        case directory
        /// Feeds in people's lists.
        case news
        /// People's cloud stores.
        case drives
        /// Addresses of people's programs that are told what changed.
        case webhooks
        case previews
        /// The scanner for malware.
        case scan
        /// The recognition of text in pictures.
        case ocr
    }

    package var level: Level
    package var subject: Subject
    /// The name of the mailbox that it is about; nil for the others.
    package var mailbox: String?
    /// For people: what is so, and for all but `ok` what to do next. It holds no secrets.
    package var text: String

    package init(_ level: Level, subject: Subject, mailbox: String? = nil, _ text: String) {
        (self.level, self.subject, self.mailbox, self.text) = (level, subject, mailbox, text)
    }
}
