import ArgumentParser
import FundClient
import Terminal

/// Which transfers are meant.
struct QueueSelection: ParsableArguments {
    @Argument(help: "The numbers that `fund queue list` shows.")
    var numbers: [Int64] = []

    @Flag(help: "All transfers with which it can be done.")
    var all = false

    func validate() throws {
        guard numbers.isEmpty == all else { throw ValidationError("give numbers, or --all") }
    }

    var ids: [TransferID]? { all ? nil : numbers.map { TransferID($0) } }
}

/// An order for some transfers, or for all with which it can be done.
protocol QueueOrder: AsyncParsableCommand {
    /// `done` is said of those with which it was done; `fitting` says with which it can be.
    static var words: (done: String, fitting: String) { get }
    var globals: GlobalOptions { get }
    var selection: QueueSelection { get }

    /// - Parameter ids: nil for all.
    /// - Returns: with how many it was done.
    func give(_ queue: TransferQueue, _ ids: [TransferID]?) async throws -> Int
}

extension QueueOrder {
    /// Says with how many it was done; fails when it was with none of those that were named.
    func run() async throws {
        let count = try await give(globals.queue(), selection.ids)
        if count == 0, !selection.all { throw CommandError(.refused, "None of them \(Self.words.fitting).") }
        try globals.say("\(Quantity.count(count, "transfer")) \(Self.words.done).")
    }
}

struct QueuePause: QueueOrder {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop transfers until they are resumed; what they have stays.")
    static let words = (done: "paused", fitting: "waits or runs")
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var selection: QueueSelection

    func give(_ queue: TransferQueue, _ ids: [TransferID]?) async throws -> Int { try await queue.pause(ids) }
}

struct QueueResume: QueueOrder {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let paused transfers go on.")
    static let words = (done: "resumed", fitting: "is paused")
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var selection: QueueSelection

    func give(_ queue: TransferQueue, _ ids: [TransferID]?) async throws -> Int { try await queue.resume(ids) }
}

struct QueueCancel: QueueOrder {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Give transfers up; their partial downloads are removed.")
    static let words = (done: "cancelled", fitting: "waits, runs or is paused")
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var selection: QueueSelection

    func give(_ queue: TransferQueue, _ ids: [TransferID]?) async throws -> Int { try await queue.cancel(ids) }
}

struct QueueRetry: QueueOrder {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try failed and waiting transfers again at once.")
    static let words = (done: "to be tried again", fitting: "failed, was cancelled, or waits")
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var selection: QueueSelection

    func give(_ queue: TransferQueue, _ ids: [TransferID]?) async throws -> Int { try await queue.retry(ids) }
}

struct QueueMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a waiting transfer among those of its priority.")
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The number that `fund queue list` shows.")
    var number: Int64

    @Argument(help: "The new place: first, up, down or last.", transform: QueueMove.move)
    var place: TransferQueue.Move

    private static func move(_ word: String) throws -> TransferQueue.Move {
        guard let move = TransferQueue.Move(rawValue: word) else { throw ValidationError("first, up, down or last") }
        return move
    }

    func run() async throws {
        let isMoved = try await globals.queue().move(TransferID(number), place)
        guard isMoved else {
            throw CommandError(.refused, "\(number) does not wait, or is there already.")
        }
    }
}

struct QueueClear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Forget transfers that are done, failed or cancelled.")
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let count = try await globals.queue().forget()
        try globals.say("\(Quantity.count(count, "transfer")) forgotten.")
    }
}
