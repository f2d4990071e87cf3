internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Ingest

extension JSONWriter {
    mutating func field(_ counts: DeskCounts) {
        field("waiting", counts.waiting)
        field("later", counts.later)
        field("filed_by_rule", counts.filedByRule)
        field("filed_by_hand", counts.filedByHand)
        field("put_aside", counts.putAside)
    }

    mutating func field(_ cause: CauseRecord) {
        field("count", cause.count)
        field("cause", MisrouteCause(cause.first).key)
        object("first") { $0.field(cause.first) }
    }

    mutating func field(_ act: DeskAct) {
        field("id", act.id)
        field("at", act.at)
        field("actor", act.actor)
        field("kind", act.kind.rawValue)
        field("fund_name", act.kind == .register ? nil : act.name)
        field("owner_email", act.owner)
        field("count", act.count)
        field("standing", act.standing)
        field("can_undo", act.canUndo)
        field("learnt", act.learnt)
        field("undone_at", act.undoneAt)
        field("undone_by", act.undoneBy)
    }

    mutating func field(_ learnt: LearntRule) {
        field("id", learnt.id)
        switch learnt.rule {
        case .address: field("kind", "address")
        case .alias: field("kind", "alias")
        }
        field("name", learnt.rule.name)
        field("owner_email", learnt.owner)
        field("fund_name", learnt.fund)
        field("message", learnt.message)
        field("at", learnt.at)
        field("actor", learnt.actor)
        field("hits", learnt.hits)
        field("last_hit_at", learnt.lastHitAt)
        field("taken_back_at", learnt.takenBackAt)
        field("taken_back_by", learnt.takenBackBy)
    }

    mutating func field(_ report: DeskService.ActReport) {
        field("act", report.act)
        objects("results", report.dispositions) { json, one in
            json.field("message", one.message)
            json.field(one.disposition)
        }
        field("learnt", report.learnt)
        let refused = report.rules.compactMap { one in one.remembered.refusal.map { (one.message, $0) } }
        objects("not_learnt", refused) { json, one in
            json.field("message", one.0)
            json.field("why", one.1)
        }
    }

    private mutating func field(_ ending: DeskService.Disposition) {
        var (word, email, reason, failure) = ("done", nil as EmailSummary.ID?, nil as Reason?, nil as RequestError?)
        switch ending {
        case .filed(let stored): (word, email) = ("filed", stored.emailID)
        case .done: break
        case .stillKept(let decision): (word, reason) = ("kept", decision.reason)
        case .refused(let error): (word, failure) = ("refused", RequestError(error))
        }
        field("outcome", word)
        field("email", email)
        field("reason", reason?.rawValue)
        field("error", failure?.code)
        field("detail", failure?.detail)
    }

    mutating func field(_ view: DeskService.View) {
        object("message") { $0.field(view.record) }
        object("decision") { $0.field(view.decision) }
        field("proposal", DeskChoices(view.record).proposal.rawValue)
        field("doubt", view.decision.doubt?.text)
        objects("offers", view.offers) { json, offer in
            json.field("fund", offer.fund.id)
            json.field("fund_name", offer.fund.name)
            json.field("owner", offer.owner.id)
            json.field("owner_email", offer.owner.email)
            json.objects("evidence", offer.evidence) { $0.field($1) }
        }
        let header = view.content.header
        field("date", header?.date)
        field("message_id", header?.messageID)
        field("to", (header?.to ?? []).map(\.address))
        field("cc", (header?.cc ?? []).map(\.address))
        field("authentication_results", header?.authenticationResults ?? [])
        switch view.content {
        case .message(let message):
            field("text", message.text)
            field("html", message.html)
            field("defects", message.defects.map(\.rawValue))
            objects("attachments", message.attachments) { json, attachment in
                json.field("name", attachment.displayName)
                json.field("content_type", attachment.contentType)
                json.field("size", attachment.size)
                json.field("sha256", attachment.digest.hex)
                json.field("is_inline", attachment.isInline)
                json.field("part", attachment.partPath)
            }
        case .refused(_, _, _, let defects):
            field("text", nil as String?)
            field("html", nil as String?)
            field("defects", defects.map(\.rawValue))
            field("attachments", [] as [ParsedAttachment]) { _, _ in }
        }
    }

    private mutating func field(_ evidence: FilingEvidence) {
        let (kind, count, time): (String, Int?, Timestamp?) =
            switch evidence {
            case .sameTag: ("same_tag", nil, nil)
            case .lettersDiffer(let count): ("letters_differ", count, nil)
            case .sameThread: ("same_thread", nil, nil)
            case .ofAuthor: ("of_author", nil, nil)
            case .earlierMails(let count): ("earlier_mails", count, nil)
            case .sameDomain(let count): ("same_domain", count, nil)
            case .onlyFund: ("only_fund", nil, nil)
            case .ofSender(let lastMail): ("of_sender", nil, lastMail)
            }
        field("kind", kind)
        field("count", count.map(Int64.init))
        field("last_mail_at", time)
    }
}

extension MessageHeader {
    /// The fields `Authentication-Results` (RFC 8601), unfolded, from the top.
    fileprivate var authenticationResults: [String] {
        trace.compactMap { if case .authenticationResults(let text) = $0 { text } else { nil } }
    }
}

extension DeskService.Remembered {
    /// Nil when mail finds its way by it.
    fileprivate var refusal: String? {
        switch self {
        case .learnt: nil
        case .refused(let error): RequestError(error).detail
        case .nothing(let reason): "\(reason.rawValue) is not about an address or a tag"
        }
    }
}

extension DeskError: RequestErrorConvertible {
    var requestError: RequestError {
        switch self {
        case .otherOwner, .unverified, .severalSenders, .unconfirmedAddress:
            RequestError(.conflict, "needs-confirmation", description)
        case .tagOfAnother, .addressOfMany, .otherCause: RequestError(.conflict, "conflict", description)
        case .actorEnded: .forbidden
        }
    }
}
