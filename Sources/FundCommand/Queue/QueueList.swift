internal import ArgumentParser
internal import Foundation
internal import FundClient

struct QueueList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "What is in the queue, in its order.")
    @OptionGroup var account: QueueAccount

    @Flag(help: "Also what is done and what was cancelled.")
    var all = false

    @Flag(help: "One JSON object a line.")
    var json = false

    func run() async throws {
        let states: Set<Transfer.State>? = all ? nil : [.waiting, .running, .paused, .failed]
        let transfers = try await TransferQueue(of: account.catalogue()).transfers(in: states)
        if json {
            for transfer in transfers { print(try QueueLine(transfer).text) }
        } else if transfers.isEmpty {
            print(all ? "The queue is empty." : "Nothing waits.")
        } else {
            print(QueueWords.table(transfers))
        }
    }
}

/// A transfer as `--json` shows it. Times are seconds since 1970.
struct QueueLine: Encodable {
    var id: Int64
    var direction: String
    var state: String
    var name: String
    var priority: Int
    var bytes: Int64
    var size: Int64?
    var attempts: Int
    var nextAttemptAt: Int64?
    var error: String?
    var detail: String?
    var path: String?
    var file: Int64?

    init(_ transfer: Transfer) {
        id = transfer.id.value
        direction = QueueWords.direction(transfer)
        state = transfer.state.rawValue
        (name, priority) = (transfer.name, transfer.priority)
        (bytes, size, attempts) = (transfer.bytes, transfer.size, transfer.attempts)
        nextAttemptAt = transfer.nextAttemptAt.map { Int64($0.timeIntervalSince1970) }
        error = transfer.failure?.code.rawValue
        detail = transfer.failure?.detail
        path = transfer.destination
        file = transfer.file?.value
    }

    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
