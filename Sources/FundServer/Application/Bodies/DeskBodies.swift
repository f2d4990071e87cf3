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
        key("first")
        object { $0.field(cause.first) }
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
        field("results", report.dispositions) { json, one in
            json.object {
                $0.field("message", one.message)
                $0.field(one.disposition)
            }
        }
        field("learnt", report.learnt)
        let refused = report.rules.compactMap { one in one.remembered.refusal.map { (one.message, $0) } }
        field("not_learnt", refused) { json, one in
            json.object {
                $0.field("message", one.0)
                $0.field("why", one.1)
            }
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
        key("message")
        object { $0.field(view.record) }
        key("decision")
        object { $0.field(view.decision) }
        field("offers", view.offers) { json, offer in
            json.object {
                $0.field("fund", offer.fund.id)
                $0.field("fund_name", offer.fund.name)
                $0.field("owner", offer.owner.id)
                $0.field("owner_email", offer.owner.email)
                $0.field("evidence", offer.evidence) { json, evidence in json.object { $0.field(evidence) } }
            }
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
            field("attachments", message.attachments) { json, attachment in
                json.object {
                    $0.field("name", attachment.displayName)
                    $0.field("content_type", attachment.contentType)
                    $0.field("size", attachment.size)
                    $0.field("sha256", attachment.digest.hex)
                    $0.field("is_inline", attachment.isInline)
                    $0.field("part", attachment.partPath)
                }
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
        case .otherOwner, .unverified, .unconfirmedAddress: RequestError(.conflict, "needs-confirmation", description)
        case .tagOfAnother, .addressOfMany, .otherCause: RequestError(.conflict, "conflict", description)
        case .actorEnded: .forbidden
        }
    }
}
