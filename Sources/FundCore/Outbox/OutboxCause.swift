/// The event for which a letter is sent. With the recipient it is unique: no person hears of the same event twice.
package enum OutboxCause: Sendable, Hashable {
    /// Mail was filed as it came.
    case filed(EmailSummary.ID)
    /// Mail was kept, since it could not be filed.
    case kept(MisrouteRecord.ID)
    /// Kept mail was filed later, by a person or by a rule.
    case filedLater(EmailSummary.ID)
    /// Something came into a person's funds.
    case news(Digest.ID)
    /// Something waits at the desk.
    case desk(Digest.ID)
    /// A person wrote a letter.
    case letter(PersonalLetter.ID)
    /// A webhook of the person was stopped, which could not deliver this message.
    case webhook(WebhookDelivery.ID)

    /// The raw values stand in the database and in JSON.
    package enum Kind: String, Sendable, CaseIterable {
        case filed
        case kept
        case filedLater = "filed_later"
        case news, desk
        case letter
        case webhook

        /// Whether it is of a letter that tells a sender what became of a mail.
        package var isReceipt: Bool {
            switch self {
            case .filed, .kept, .filedLater: true
            case .news, .desk, .letter, .webhook: false
            }
        }
    }

    package var kind: Kind {
        switch self {
        case .filed: .filed
        case .kept: .kept
        case .filedLater: .filedLater
        case .news: .news
        case .desk: .desk
        case .letter: .letter
        case .webhook: .webhook
        }
    }

    /// The id of the email, of the entry in the misrouted report, of the digest, of the letter that a person wrote, or
    /// of the message to a webhook.
    package var subject: Int64 {
        switch self {
        case .filed(let email), .filedLater(let email): email.rawValue
        case .kept(let misroute): misroute.rawValue
        case .news(let digest), .desk(let digest): digest.rawValue
        case .letter(let letter): letter.rawValue
        case .webhook(let delivery): delivery.rawValue
        }
    }

    /// The email that was filed; nil for other causes.
    package var email: EmailSummary.ID? {
        switch self {
        case .filed(let email), .filedLater(let email): email
        case .kept, .news, .desk, .letter, .webhook: nil
        }
    }

    /// The entry of the misrouted report; nil for other causes.
    package var misroute: MisrouteRecord.ID? {
        if case .kept(let misroute) = self { misroute } else { nil }
    }

    /// The digest; nil for other causes.
    package var digest: Digest.ID? {
        switch self {
        case .news(let digest), .desk(let digest): digest
        case .filed, .kept, .filedLater, .letter, .webhook: nil
        }
    }

    /// Whether it is about one mail or letter, which has a subject.
    package var isAboutMessage: Bool {
        switch self {
        case .filed, .kept, .filedLater, .letter: true
        case .news, .desk, .webhook: false
        }
    }

    package init(_ kind: Kind, subject: Int64) {
        self =
            switch kind {
            case .filed: .filed(EmailSummary.ID(subject))
            case .kept: .kept(MisrouteRecord.ID(subject))
            case .filedLater: .filedLater(EmailSummary.ID(subject))
            case .news: .news(Digest.ID(subject))
            case .desk: .desk(Digest.ID(subject))
            case .letter: .letter(PersonalLetter.ID(subject))
            case .webhook: .webhook(WebhookDelivery.ID(subject))
            }
    }
}

extension ReceiptChoice {
    /// Whether the sender of mail hears of such an event.
    package func includes(_ kind: OutboxCause.Kind) -> Bool {
        switch self {
        case .off: false
        case .filed: kind == .filed
        case .problems: kind == .kept || kind == .filedLater
        case .all: kind.isReceipt
        }
    }
}
