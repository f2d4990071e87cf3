internal import FundCore

extension JSONWriter {
    mutating func field(_ email: EmailSummary) {
        field("id", email.id)
        field("fund", email.fund)
        field("subject", email.subject)
        field("from", email.from)
        field("sent_at", email.sentAt)
        field("received_at", email.receivedAt)
        field("attachment_count", email.attachmentCount)
        field("is_favourite", email.isFavourite)
        field("deleted_at", email.deletedAt)
    }

    mutating func field(_ email: EmailEntry) {
        field(email.summary)
        field("text", email.text)
        field("html", email.html)
        field("message_id", email.internetMessageID)
        field("defects", email.defects)
        objects("attachments", email.attachments) { $0.field($1) }
    }

    mutating func field(_ attachment: AttachmentEntry) {
        field("id", attachment.id)
        field("email", attachment.email)
        field("name", attachment.name)
        field("content_type", attachment.contentType)
        field("size", attachment.size)
        field("sha256", attachment.digest.hex)
        field("is_inline", attachment.isInline)
        field("content_id", attachment.contentID)
        field("part", attachment.partPath)
    }

    mutating func field(_ note: NoteEntry) {
        field("id", note.id)
        field("fund", note.fund)
        field("title", note.text.title)
        field("content", note.text.content)
        field("created_at", note.createdAt)
        field("modified_at", note.modifiedAt)
        field("is_favourite", note.isFavourite)
    }

    mutating func field(_ hit: SearchHit) {
        field(hit.item)
        field("fund", hit.fund)
        field("fund_name", hit.fundName)
        field("title", hit.title)
        field("date", hit.date)
        objects("excerpt", hit.excerpt) { json, piece in
            json.field("text", piece.text)
            json.field("is_match", piece.isMatch)
        }
        field("page", hit.page.map(Int64.init))
    }

    mutating func field(_ mail: ReceivedMail) {
        field("id", mail.id)
        field("received_at", mail.receivedAt)
        field("subject", mail.subject)
        field("outcome", mail.outcome.rawValue)
        field("reason", mail.reason?.rawValue)
        field("tag", mail.tag)
        field("suggestions", mail.suggestions)
        field("resolved_at", mail.resolution?.at)
        field("resolved_by", mail.resolution?.by)
        field("email", mail.email)
        field("fund", mail.fund)
        field("fund_name", mail.fundName)
        field("is_given_away", mail.isGivenAway)
        field("can_file", mail.isForSender)
        field("taken_back_at", mail.takenBack?.at)
        field("taken_back_by", mail.takenBack?.by)
    }

    /// Writes where routing would file a mail with a subject.
    mutating func field(_ decision: RoutingDecision) {
        field("outcome", decision.outcome.rawValue)
        field("reason", decision.reason?.rawValue)
        field("fund", decision.fund?.id)
        field("fund_name", decision.fund?.name)
        field("tag", decision.tag)
        field("suggestions", decision.suggestions)
        objects("steps", decision.steps) { json, step in
            json.field("about", step.about.rawValue)
            json.field("verdict", step.verdict.rawValue)
            json.field("text", step.text)
        }
    }

    /// - Parameter cursor: sealed by `ChangeCursorSeal`.
    mutating func field(_ change: ChangePage.Change, cursor: Int64) {
        field("cursor", cursor)
        field(change.item)
        field("is_deleted", change.isDeleted)
    }

    /// Writes an item as `GET` on its path gives it, without its preview; an email as lists have it.
    mutating func field(_ name: StaticString, _ item: ChangedItem) {
        key(name)
        object { json in
            switch item {
            case .item(.fund(let fund)): json.field(fund)
            case .item(.folder(let folder)): json.field(folder)
            case .item(.file(let file)): json.field(file)
            case .email(let email): json.field(email)
            case .note(let note): json.field(note)
            }
        }
    }
}
