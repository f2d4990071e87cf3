import ArgumentParser
import FundCore
import Ingest
import Terminal

/// The letters that a command is about, by state and recipient.
struct OutboxFilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only letters in this state, or `waiting` or `troubled`; may be repeated.", valueName: "state"))
    var state: [String] = []
    @Option(help: ArgumentHelp("Only letters to this address.", valueName: "address"))
    var to: String?

    var isEmpty: Bool { state.isEmpty && to == nil }

    func validate() throws { _ = try states() }

    /// Throws `ValidationError` for a word that is no state.
    func states() throws -> Set<OutboxLetter.State> {
        try state.reduce(into: []) { states, word in
            guard let named = OutboxLetter.State.named(word) else {
                let names = OutboxLetter.State.allCases.map(\.rawValue) + OutboxLetter.State.groups.map(\.name)
                let near = NearestName.of(word, among: names).map { " Did you mean \($0)?" } ?? ""
                throw ValidationError("--state \(word): there are \(names.joined(separator: ", ")).\(near)")
            }
            states.formUnion(named)
        }
    }

    func filter() throws -> OutboxFilter { OutboxFilter(states: try states(), recipient: to) }
}

/// The letters that are sent anew or dropped: numbers, or all of a state or a recipient.
struct OutboxSelection: ParsableArguments {
    @Argument(help: "The numbers of the letters, as `list` shows them.") var ids: [OutboxLetter.ID] = []
    @OptionGroup var options: OutboxFilterOptions

    func validate() throws {
        guard ids.isEmpty == !options.isEmpty else {
            throw ValidationError(
                ids.isEmpty
                    ? "Give the numbers of letters, or --state or --to."
                    : "Give numbers, or --state and --to, not both.")
        }
    }

    /// The letters in the order in which they are acted on: named ones as named, others the oldest first. Of a state
    /// or a recipient only those that an act can be about: none that is being sent or was sent.
    /// Throws `notFound` for an unknown number.
    func letters(in outbox: any OutboxRegister) async throws -> [OutboxLetter] {
        guard ids.isEmpty else {
            var letters: [OutboxLetter] = []
            for id in ids where !letters.contains(where: { $0.id == id }) {
                letters.append(try await outbox.letter(id))
            }
            return letters
        }
        let filter = try options.filter()
        return try await ListPage.all { try await outbox.letters(filter, $0) }
            .filter { $0.state != .sending && $0.state != .sent }.reversed()
    }
}
