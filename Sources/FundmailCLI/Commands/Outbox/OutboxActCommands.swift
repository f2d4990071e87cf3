import ArgumentParser
import FundCore
import FundStore
import Terminal

struct OutboxRetryCommand: AsyncParsableCommand {
    /// The option that confirms to send what may have arrived.
    static let twice = "--may-arrive-twice"

    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send letters anew, or those that wait sooner.",
        discussion: """
            Letters that wait, failed or were dropped go out with the next round of `fundmail serve`. A letter that \
            is or was uncertain may have arrived: it is sent anew with \(twice) alone, and may then arrive twice.

            Examples:
              fundmail outbox retry 12 13
              fundmail outbox retry --state failed --to ann@example.com
              fundmail outbox retry 14 \(twice)
            """)

    @OptionGroup var selection: OutboxSelection
    @Flag(help: "Also letters that may have arrived, and may then arrive twice.") var mayArriveTwice = false
    @Flag(help: "Print one JSON object a letter, then a summary.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let workspace = try Workspace(globals)
        let act = OutboxAct(word: "retried", done: { "\($0): waits to be sent." }, json: json) { outbox, letter in
            guard mayArriveTwice || !letter.isAskedFirst else {
                let command = workspace.command(["outbox", "retry", "\(letter.id)", Self.twice])
                throw CommandError(
                    .input, "The letter may have arrived. `\(command)` sends it anew: it may then arrive twice.")
            }
            try await outbox.retryLetter(
                letter.id, mayArriveTwice: mayArriveTwice, actor: Workspace.actor)
        }
        try await act.carryOut(on: selection, workspace)
        guard !json, act.doneCount > 0, workspace.configuration.smtp == nil else { return }
        Console.warn("Letters are off: they go out once smtp: is in the configuration.")
    }
}

struct OutboxDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Give letters up that were not sent.",
        discussion: """
            They stay in the list for ninety days, and `fundmail outbox retry` sends one after all.

            Examples:
              fundmail outbox drop 12 13
              fundmail outbox drop --state uncertain
            """)

    @OptionGroup var selection: OutboxSelection
    @Flag(help: "Print one JSON object a letter, then a summary.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let act = OutboxAct(word: "dropped", done: { "\($0): dropped." }, json: json) { outbox, letter in
            try await outbox.dropLetter(letter.id, actor: Workspace.actor)
        }
        try await act.carryOut(on: selection, try Workspace(globals))
    }
}

/// One act on each of the letters that were asked for, and what is said of it.
private final class OutboxAct {
    private let word: String
    private let done: (OutboxLetter.ID) -> String
    private let json: Bool
    private let body: (any OutboxRegister, OutboxLetter) async throws -> Void
    private(set) var doneCount = 0

    /// - Parameters:
    ///   - word: names the result in JSON.
    ///   - done: a sentence about a letter.
    init(
        word: String, done: @escaping (OutboxLetter.ID) -> String, json: Bool,
        _ body: @escaping (any OutboxRegister, OutboxLetter) async throws -> Void
    ) {
        (self.word, self.done, self.json, self.body) = (word, done, json, body)
    }

    /// Throws the refusal of an only letter, and failures that no letter is to blame for. Exits with status 65 when
    /// some were refused.
    func carryOut(on selection: OutboxSelection, _ workspace: Workspace) async throws {
        let store = try workspace.openStore()
        let letters = try await selection.letters(in: store.outbox)
        let progress = ProgressLine(isQuiet: json, interval: .milliseconds(100))
        var refused = 0
        for (index, letter) in letters.enumerated() {
            progress.show("\(index) of \(letters.count) letters")
            var failure: CommandError?
            do { try await body(store.outbox, letter) } catch { failure = CommandError(error) }
            progress.clear()
            if let failure {
                guard letters.count > 1, failure.status == .input else { throw failure }
                refused += 1
                try say(letter, "refused", why: failure.message)
            } else {
                doneCount += 1
                try say(letter, word)
            }
        }
        try store.close()
        try sum(of: letters.count, refused: refused)
        if refused > 0 { throw ExitCode(ExitStatus.input.rawValue) }
    }

    private func say(_ letter: OutboxLetter, _ result: String, why: String? = nil) throws {
        guard json else {
            if let why { return Console.warn("\(letter.id): \(why)") }
            return try Console.line(done(letter.id))
        }
        try Console.write(
            JSONWriter.line { line in
                line.field("id", letter.id)
                line.field("result", result)
                line.field("why", why)
            })
    }

    private func sum(of count: Int, refused: Int) throws {
        guard !json else {
            return try Console.write(
                JSONWriter.line { line in
                    line.key("summary")
                    line.object {
                        $0.key(word)
                        $0.value(doneCount)
                        $0.field("refused", refused)
                    }
                })
        }
        if count == 0 { return try Console.line("There is no such letter.") }
        if count > 1 { try Console.line("\(doneCount) \(word), \(refused) refused.") }
    }
}
