import FundCore
import Ingest
import Terminal

/// Output of an act at the desk: what became of each message, then the sum; in words or as JSON lines.
final class ActOutput {
    private let json: Bool
    private let isOnly: Bool
    private let showsKept: Bool
    private let doneText: ((MisrouteRecord.ID) -> String)?
    private(set) var filed: Set<MisrouteRecord.ID> = []
    private(set) var (done, stillKept, refused) = (0, 0, 0)

    /// Whether messages were refused.
    var isPartial: Bool { refused > 0 }

    /// - Parameters:
    ///   - count: messages that the act is about. The refusal of an only one is the command's failure.
    ///   - showsKept: says of messages that stay why they do.
    ///   - doneText: sentence about a message that was put aside, put off or undone; nil says nothing of each.
    init(
        json: Bool, count: Int, showsKept: Bool = true, doneText: ((MisrouteRecord.ID) -> String)? = nil
    ) {
        (self.json, isOnly, self.showsKept, self.doneText) = (json, count == 1, showsKept, doneText)
    }

    /// Throws the error of an only message, and errors that no message is to blame for.
    func take(_ id: MisrouteRecord.ID, _ disposition: DeskService.Disposition) throws {
        switch disposition {
        case .filed(let stored):
            filed.insert(id)
            if json { return try line(id, "filed", stored: stored) }
            try Console.line("\(id): \(Self.describe(stored))")
        case .done:
            done += 1
            if json { return try line(id, "done") }
            if let doneText { try Console.line(doneText(id)) }
        case .stillKept(let decision):
            stillKept += 1
            if json { return try line(id, "still_kept", why: decision.reason?.rawValue) }
            if showsKept { try Console.line("\(id): still \(decision.reason?.rawValue ?? "kept")") }
        case .refused(let error): try refuse(id, error)
        }
    }

    /// A refused message does not hold up the others, unless the store can take none.
    func refuse(_ id: MisrouteRecord.ID, _ error: any Error) throws {
        let failure = CommandError(refusing: id, error)
        guard !isOnly, failure.status == .input else { throw failure }
        refused += 1
        if json { return try line(id, "refused", why: failure.message) }
        Console.warn("\(id): \(failure.message)")
    }

    /// Says a sentence to people.
    func say(_ text: String) throws { if !json { try Console.line(text) } }

    /// Says how many of the messages were filed, and how many still wait.
    func sayCounts(of all: Int) throws { try say("\(filed.count) filed, \(all - filed.count) still kept.") }

    /// Ends the output: for people with how the act is undone.
    func finish(_ report: DeskService.ActReport, _ workspace: Workspace) throws {
        guard json else {
            if let act = report.act {
                try Console.line("To undo: \(workspace.command(["misrouted", "undo", "\(act)"]))")
            }
            return
        }
        try Console.write(
            JSONWriter.line { line in
                line.key("summary")
                line.object {
                    $0.field("act", report.act)
                    $0.field("filed", filed.count)
                    $0.field("done", done)
                    $0.field("still_kept", stillKept)
                    $0.field("refused", refused)
                    $0.field("learnt", report.learnt)
                }
            })
    }

    private func line(
        _ id: MisrouteRecord.ID, _ result: String, stored: StoredMessage? = nil, why: String? = nil
    ) throws {
        try Console.write(
            JSONWriter.line { line in
                line.field("id", id)
                line.field("result", result)
                line.field("email_id", stored?.emailID)
                line.field("user", stored?.message.decision.user?.email)
                line.field("fund", stored?.message.decision.fund?.name)
                line.field("why", why)
            })
    }

    private static func describe(_ stored: StoredMessage) -> String {
        guard stored.outcome != .duplicate else { return "a copy was filed before; nothing was added" }
        let decision = stored.message.decision
        return "filed into [\(decision.fund?.name ?? "")] of \(decision.user?.email ?? "")"
    }
}

extension CommandError {
    /// Why a message was refused, with the option that confirms an act which may be right.
    fileprivate init(refusing id: MisrouteRecord.ID, _ error: any Error) {
        switch error {
        case let doubt as DeskError where doubt.isDoubt: self.init(.input, "\(error) with --despite-unverified")
        case DeskError.unconfirmedAddress(let address):
            self.init(.input, "\(error); give --confirm-address \(ShellWord.quoted(address)) when you are sure")
        case DeskError.otherCause: self.init(.input, "\(error); `fundmail misrouted show \(id)` says which")
        default: self.init(error)
        }
    }
}
