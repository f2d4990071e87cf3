internal import FundCore

extension JSONWriter {
    mutating func field(_ letter: LetterSummary) {
        field("id", letter.id)
        field("fund", letter.fund)
        field("subject", letter.subject)
        field("sent_at", letter.sentAt)
        field("attachment_count", letter.attachmentCount)
        field("answered_email", letter.answered)
        objects("recipients", letter.recipients) { $0.field($1) }
    }

    mutating func field(_ letter: PersonalLetter) {
        field(letter.summary)
        field("text", letter.text)
        field("sender_name", letter.senderName)
        field("reply_to", letter.replyTo)
        field("link", letter.link)
        objects("items", letter.items) { $0.field($1) }
        objects("attachments", letter.attachments) { json, attachment in
            json.field("number", Int64(attachment.number))
            json.field("name", attachment.name)
            json.field("content_type", attachment.contentType)
            json.field("size", attachment.size)
            json.field("sha256", attachment.digest.hex)
        }
    }

    private mutating func field(_ recipient: LetterRecipient) {
        field("number", Int64(recipient.number))
        field("role", recipient.role.rawValue)
        field("name", recipient.addressee.name)
        field("address", recipient.addressee.address)
        field("state", recipient.delivery.rawValue)
        field("changed_at", recipient.changedAt)
        field("note", recipient.note)
        field("may_have_arrived", recipient.isAskedFirst)
    }
}
