internal import FundCore
internal import Ingest

/// The warning above a message that may be forged: what it is suspected of, why, and what to do.
struct DeskDanger {
    let record: MisrouteRecord
    /// Nil where the mail was not read, or the trust check was not asked.
    var doubt: SenderDoubt?
    /// All senders that the mail names, where it names several.
    var senders: [String] = []

    /// Nil for mail that may be filed without a further question.
    func model(_ words: Words) -> PageModel? {
        guard DeskChoices(record).proposal == .putAside else { return nil }
        let sender = words.isolated(words.sender(record))
        guard record.isSenderUnproven else {
            return [
                "title": words("danger.several"),
                "doubt": senders.isEmpty ? nil : words("danger.senders", words.list(senders)),
                "advice": words("danger.advice.several"),
            ]
        }
        let title =
            switch doubt {
            case .failed, .otherDomain: words("danger.probably", sender)
            default: words("danger.maybe", sender)
            }
        return [
            "title": title, "doubt": doubt.map { words.sentence($0) } ?? words("doubt.any"),
            "advice": words("danger.advice"),
        ]
    }
}

extension Words {
    /// A finding of the trust check, as a sentence.
    func sentence(_ doubt: SenderDoubt) -> String {
        func name(_ server: String?) -> String { server.map(isolated) ?? self("doubt.server") }
        return switch doubt {
        case .noSender: self("doubt.sender")
        case .unreadableResults(let server): self("doubt.unreadable", isolated(server))
        case .noResults(let server): self("doubt.missing", isolated(server))
        case .noTopmostResults: self("doubt.topmost")
        case .noDMARC(let server): self("doubt.none", name(server))
        case .failed(let server, let result): self("doubt.failed", name(server), isolated(result))
        case .otherDomain(let server, let domains, let sender):
            self(
                "doubt.other", name(server),
                domains.isEmpty ? self("doubt.nodomain") : domains.map(isolated).joined(separator: ", "),
                isolated(sender))
        }
    }
}
