internal import FundHTTP
internal import FundCore
internal import Ingest

/// Sentences of the desk about messages, in the reader's language. Texts of users and mails stand isolated in sentences
/// (UAX #9 §2.4.2), so that none turns the rest of its sentence around.
extension Words {
    func isolated(_ text: String) -> String { "\u{2068}\(text)\u{2069}" }

    /// Names in one sentence, each isolated.
    func list(_ names: [String]) -> String { names.map(isolated).joined(separator: self("list.comma")) }

    func sender(_ record: MisrouteRecord) -> String { sender(nil, record.sender) }

    /// The cause that one act would put right.
    /// - Parameter people: names of registered people, by their addresses.
    func cause(_ record: MisrouteRecord, _ people: [String: String] = [:]) -> String {
        if record.reason == .unknownSender, let relay = record.relay {
            let author = relay.author.map { self("relay.by", isolated($0)) } ?? self("relay.ofmany")
            return self("relay.\(relay.kind.rawValue)", isolated(sender(record)), author)
        }
        let isProven = DeskChoices(record).proposal == .file
        let sender = isolated(record.userEmail.map { isProven ? people[$0] ?? $0 : $0 } ?? sender(record))
        return self("cause.\(record.reason.rawValue)", sender, isolated(Self.shown(record.tag ?? "")))
    }

    func sentence(_ evidence: FilingEvidence, _ formats: Formats) -> String? {
        switch evidence {
        case .sameTag: self("evidence.tag")
        case .lettersDiffer(let count): self.count("evidence.letters", count)
        case .sameThread: self("evidence.thread")
        case .ofAuthor: self("evidence.author")
        case .earlierMails(let count): self.count("evidence.mails", count)
        case .sameDomain(let count): self.count("evidence.domain", count)
        case .onlyFund: self("evidence.only")
        case .ofSender(let lastMail): lastMail.map { self("evidence.last", formats.age($0)) }
        }
    }

    /// Why an act was refused: the texts of the desk in the reader's language, else those of all pages. The store alone
    /// knows who was first, and says it in English.
    func refusal(_ error: any Error) -> String {
        switch error {
        case DeskError.otherOwner(let sender, let fund, let owner):
            return self("desk.otherowner", isolated(sender), isolated(fund), isolated(owner))
        case DeskError.unverified(let sender): return self("desk.risk", isolated(sender))
        case DeskError.severalSenders(let senders):
            return senders.isEmpty ? self("desk.risk.none") : self("desk.risk.several", list(senders))
        case DeskError.tagOfAnother(let tag, let fund): return self("desk.othertag", isolated(tag), isolated(fund))
        case DeskError.unconfirmedAddress(let sender): return self("desk.unconfirmed", isolated(sender))
        case DeskError.addressOfMany(let sender, _): return self("desk.ofmany", isolated(sender))
        case DeskError.otherCause: return self("desk.othercause")
        case DeskError.actorEnded: return self("error.forbidden")
        case let failure as StoreError where failure.code == .overQuota: return self("room.theirs")
        default:
            let failure = RequestError(error)
            guard failure.code == "conflict" else { return sentence(failure) }
            return language == .en ? failure.sentence : "\(self("desk.conflict")) (\(isolated(failure.sentence)))"
        }
    }

    /// Nil when something was learnt.
    func refusal(of remembered: DeskService.Remembered) -> String? {
        switch remembered {
        case .learnt: nil
        case .refused(let error): refusal(error)
        case .nothing: self("desk.nolesson")
        }
    }

    /// Counts of what was done since the day began.
    func today(_ counts: DeskCounts) -> String {
        self("desk.today", "\(counts.filedByRule)", "\(counts.filedByHand)", "\(counts.putAside)")
    }

    /// Says which rules were learnt by an act.
    func learntSentence(_ act: DeskAct) -> String {
        self("desk.remembered", act.learnt.map(isolated).joined(separator: ", "))
    }

    /// The effect of an act, in one sentence.
    func sentence(_ act: DeskAct) -> String {
        let messages = count("messages", act.count)
        return switch act.kind {
        case .assign: self("act.assign", messages, isolated(act.name ?? ""), isolated(act.owner ?? ""))
        case .retry: self("act.retry", messages)
        case .reject: self("act.reject", messages)
        case .later: self("act.later", messages)
        case .register:
            self("act.register", messages, isolated(act.name ?? ""), isolated(act.owner ?? ""))
        case .create: self("act.create", messages, isolated(act.name ?? ""), isolated(act.owner ?? ""))
        case .enable: self("act.enable", messages, isolated(act.owner ?? ""))
        }
    }
}
