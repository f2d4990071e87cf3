/// A mistake in what a person typed or chose: a kind, by which an interface says it in the reader's language, and the
/// text in English.
package struct InputProblem: Sendable, Hashable {
    /// The raw values stand in the table of the pages' words.
    package enum Kind: String, Sendable, CaseIterable {
        case nameEmpty = "name-empty"
        case nameTooLong = "name-too-long"
        case nameInvisible = "name-invisible"
        case nameSlash = "name-slash"
        case nameControls = "name-controls"
        case nameBrackets = "name-brackets"
        case fundNameTooLong = "fund-name-too-long"
        case tooManyAliases = "too-many-aliases"
        case tooDeep = "too-deep"
        case intoItself = "into-itself"
        case sameFile = "same-file"
        case replacesItsFolder = "replaces-its-folder"
        case unknownPerson = "unknown-person"
        case titleTooLong = "title-too-long"
        case letterNoRecipient = "letter-no-recipient"
        case letterTooManyRecipients = "letter-too-many-recipients"
        case letterSubjectTooLong = "letter-subject-too-long"
        case letterTextTooLong = "letter-text-too-long"
        case letterEmpty = "letter-empty"
        case letterTooManyItems = "letter-too-many-items"
        case letterTooLarge = "letter-too-large"
        case letterTooMany = "letter-too-many"
        case letterOwnMailbox = "letter-own-mailbox"
        case letterNoAddress = "letter-no-address"
        case letterNoLinks = "letter-no-links"
        case linkEmpty = "link-empty"
        case linkTooMany = "link-too-many"
        case linkPlace = "link-place"
        case linkFund = "link-fund"
        case linkFunds = "link-funds"
        case linkWatermark = "link-watermark"
        case linkExpiry = "link-expiry"
        case linkOpenings = "link-openings"
        case linkLabel = "link-label"
        case linkAllowance = "link-allowance"
        case contactEmpty = "contact-empty"
        case contactAddress = "contact-address"
        case contactTooLong = "contact-too-long"
        case tooManyContacts = "too-many-contacts"
        case newsForbidden = "news-forbidden"
        case newsHost = "news-host"
        case newsNameTooLong = "news-name-too-long"
        case tooManyFeeds = "too-many-feeds"
        case tooManyStars = "too-many-stars"
        case tooManyDrives = "too-many-drives"
        case tooManyTransfers = "too-many-transfers"
        case tooManyWatches = "too-many-watches"
        case watchMinutes = "watch-minutes"
        case watchTaken = "watch-taken"
        case transferEmpty = "transfer-empty"
        case transferTooLarge = "transfer-too-large"
        case tooManyWebhooks = "too-many-webhooks"
        case webhookAddress = "webhook-address"
        case webhookForbidden = "webhook-forbidden"
        case webhookKinds = "webhook-kinds"
        case webhookPrivate = "webhook-private"
    }

    package var kind: Kind
    /// Without a full stop.
    package var text: String

    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
