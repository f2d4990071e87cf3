internal import FundCore

/// A row of a list of mail.
enum MailRow {
    /// Seconds between a mail's own date and its arrival from which on a list shows both: it was taken in from an
    /// archive.
    private static let datedApart: Int64 = 86_400

    /// - Parameter fund: the one whose list it is: there its tag is no news, and senders go by their names.
    static func model(_ email: EmailSummary, in fund: FundEntry? = nil, _ call: PageCall) -> PageModel {
        let subject = call.words.subject(email.subject, in: fund)
        let isApart = email.sentAt.map {
            !(email.receivedAt - .seconds(datedApart)...email.receivedAt + .seconds(datedApart)).contains($0)
        }
        // An opened mail names the address.
        let from = call.words.sender(fund == nil ? nil : email.fromName, email.from)
        return [
            "face": Initials.text(of: from), "faceHue": Initials.hue(of: from),
            "sent": email.sentAt.map(call.formats.time), "isDatedApart": isApart ?? false,
            "id": "\(email.id)", "key": "email-\(email.id)", "subject": subject,
            "name": call.words.subject(email.subject),
            "from": from, "time": call.formats.time(email.receivedAt),
            "files": email.attachmentCount == 0 ? "" : call.words.count("files", email.attachmentCount),
            "hasFiles": email.attachmentCount > 0, "isFavourite": email.isFavourite, "type": "email",
        ]
    }
}
