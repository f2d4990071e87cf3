import ArgumentParser
import Foundation
import FundClient
import Terminal

struct QueueList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the queue in its order. Needs no network.")
    @OptionGroup var globals: GlobalOptions

    @Flag(help: "Also show transfers that are done or were cancelled.")
    var all = false

    func run() async throws {
        let states: Set<Transfer.State>? = all ? nil : [.waiting, .running, .paused, .failed]
        let transfers = try await globals.queue().transfers(in: states)
        try Listing(
            items: transfers.map { QueueLine($0) }, ifEmpty: all ? "The queue is empty." : "Nothing waits.",
            columns: [
                .number("ID"), "", "STATE", .number("DONE"), .number("SIZE"), .shrinking("NAME"), .shrinking("NOTE"),
            ]
        ) { line in
            [
                "\(line.id)", line.direction, line.state,
                line.state == "done" ? "" : QueueWords.percent(line.bytes, of: line.size),
                line.size.map { Quantity.display(bytes: $0) } ?? "", line.name, line.note,
            ]
        }.write(json: globals.json)
    }
}

/// A transfer as `--json` shows it.
struct QueueLine: Encodable {
    var id: Int64
    /// `up` or `down`.
    var direction: String
    var state: String
    var name: String
    var priority: Int
    var bytes: Int64
    var size: Int64?
    var attempts: Int
    var nextAttemptAt: Date?
    /// A code of `ClientError`.
    var error: String?
    /// For people.
    var note: String
    var path: String?
    var file: Int64?

    init(_ transfer: Transfer) {
        id = transfer.id.value
        direction = QueueWords.direction(transfer)
        state = transfer.state.rawValue
        (name, priority) = (transfer.name, transfer.priority)
        (bytes, size, attempts) = (transfer.bytes, transfer.size, transfer.attempts)
        nextAttemptAt = transfer.nextAttemptAt
        error = transfer.failure?.code.rawValue
        note = QueueWords.note(transfer)
        path = transfer.destination
        file = transfer.file?.value
    }
}
