import ArgumentParser
import FundStore
import FundCore
import Ingest
import Terminal

/// The kept messages that a command is about: numbers, or all of a cause.
struct MisrouteSelection: ParsableArguments {
    @Argument(help: "The numbers of the messages in the report.") var ids: [MisrouteRecord.ID] = []
    @Option(help: ArgumentHelp("All messages that are kept for this reason; may be repeated.", valueName: "reason"))
    var reason: [String] = []
    @Option(help: ArgumentHelp("All messages from this sender, as the report shows it.", valueName: "sender"))
    var from: String?
    @Option(help: ArgumentHelp("All messages with this tag.", valueName: "tag"))
    var tag: String?
    @Option(help: ArgumentHelp("With --reason, --from or --tag: no message after this number.", valueName: "id"))
    var upTo: MisrouteRecord.ID?

    var isEmpty: Bool { ids.isEmpty && !isByCause }

    private var isByCause: Bool { !reason.isEmpty || from != nil || tag != nil || upTo != nil }

    /// - Parameter isOptional: nothing at all means all.
    func validate(isOptional: Bool) throws {
        guard ids.isEmpty || !isByCause else {
            throw ValidationError("Give numbers, or --reason, --from and --tag, not both.")
        }
        guard isOptional || !ids.isEmpty || !reason.isEmpty || from != nil || tag != nil else {
            throw ValidationError("Give numbers of the report, or --reason, --from or --tag.")
        }
        _ = try reason.map(Reason.init(option:))
    }

    /// Unregistered senders selected by cause must be one: messages of several need not belong into one fund.
    func checkOnePerson(_ records: [MisrouteRecord]) throws {
        guard isByCause else { return }
        let strangers = records.filter { $0.userEmail == nil }
        let senders = Set(strangers.map { $0.sender?.lowercased() })
        guard senders.count > 1 || senders.contains(nil) && strangers.count > 1 else { return }
        throw CommandError(
            .input,
            "These are \(strangers.count) messages of unknown senders, not of one: give --from, or their numbers.")
    }

    /// Selected by cause, mail of a registered user is filed into that user's funds only.
    func check(_ record: MisrouteRecord, goesTo target: FundRecord) throws {
        guard isByCause, let email = record.userEmail, email != target.ownerEmail else { return }
        throw CommandError(
            .input,
            TerminalText.clean(
                "It came from \(email), not from \(target.ownerEmail): to file it there all the same, give its number."
            ))
    }

    /// The open messages of the cause; named ones whether open or not. Throws `notFound` for an unknown number.
    func records(in store: FundStore) async throws -> [MisrouteRecord] {
        guard ids.isEmpty else {
            var records: [MisrouteRecord] = []
            for id in ids { records.append(try await store.administration.misroute(id)) }
            return records
        }
        var filter = MisrouteFilter()
        filter.reasons = Set(try reason.map(Reason.init(option:)))
        let (sender, key) = (from?.lowercased(), tag.map(FundName.key))
        return try await store.administration.misroutes(filter).filter { record in
            (sender == nil || record.sender?.lowercased() == sender)
                && (key == nil || record.tag.map(FundName.key) == key) && upTo.map { record.id <= $0 } ?? true
        }
    }
}

extension Reason {
    /// Reads the value of an option, with hyphens or underscores. Throws `ValidationError`, which names all reasons.
    init(option text: String) throws {
        if let reason = Reason(rawValue: text.replacing("-", with: "_")) {
            self = reason
            return
        }
        let names = Reason.allCases.map(\.rawValue)
        let near = NearestName.of(text, among: names).map { " Did you mean \($0)?" } ?? ""
        throw ValidationError("--reason \(text): there are \(names.joined(separator: ", ")).\(near)")
    }
}
