import ArgumentParser
import FundCore
import FundStore
import Terminal

struct OutboxShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one letter: its state, its attempts, and what it is about.",
        discussion: "Example:\n  fundmail outbox show 12")

    @Argument(help: "The number of the letter, as `list` shows it.") var id: OutboxLetter.ID
    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let workspace = try Workspace(globals)
        let store = try workspace.openStore(.readOnly)
        let letter = try await store.outbox.letter(id)
        let message = try await store.administration.messages(of: [letter.cause])[letter.cause]
        if json { return try Console.write(JSONWriter.line { $0.letter(letter, about: message) }) }
        let lines: [(String, String?)] = [
            ("to", letter.recipient), ("about", OutboxWords.about(letter.cause, message)),
            ("of mail", letter.cause.email.map { "\($0)" }),
            ("at the desk", letter.cause.misroute.map { workspace.command(["misrouted", "show", "\($0)"]) }),
            ("from", message?.sender), ("state", letter.state.rawValue),
            ("meaning", OutboxWords.meaning(letter.state)), ("reply or reason", letter.note),
            ("attempts", "\(letter.attempts)"), ("queued", Clock.local(letter.queuedAt)),
            ("changed", letter.changedAt.map(Clock.local)), ("next attempt", letter.dueAt.map(Clock.local)),
            ("message-id", letter.usedMark.map { "\($0)@…" }), ("now", Self.next(letter, workspace)),
        ]
        var table = Table(["", ""])
        for case (let title, let text?) in lines where !text.isEmpty { table.add([title, text]) }
        try Console.write(table.rendered(width: nil))
    }

    /// Commands that one can give next; nil where there is nothing to do.
    private static func next(_ letter: OutboxLetter, _ workspace: Workspace) -> String? {
        let retry = workspace.command(["outbox", "retry", "\(letter.id)"])
        let drop = workspace.command(["outbox", "drop", "\(letter.id)"])
        return switch letter.state {
        case .sending, .sent: nil
        case .queued, .deferred: "\(retry) sends it sooner; \(drop) gives it up"
        case .failed where letter.isAskedFirst, .dropped where letter.isAskedFirst:
            "\(retry) \(OutboxRetryCommand.twice) sends it anew, which may make two of it"
        case .failed: "mend what the reply says, then \(retry); or \(drop)"
        case .uncertain: "\(drop), or \(retry) \(OutboxRetryCommand.twice), after which it may arrive twice"
        case .dropped: "\(retry) sends it after all"
        }
    }
}
