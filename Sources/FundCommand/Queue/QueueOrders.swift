internal import ArgumentParser
internal import FundClient

/// Which transfers are meant.
struct QueueSelection: ParsableArguments {
    @Argument(help: "Their numbers, as `fund queue list` shows them.")
    var numbers: [Int64] = []

    @Flag(help: "All with which it can be done.")
    var all = false

    func validate() throws {
        guard numbers.isEmpty == all else { throw ValidationError("give numbers, or --all") }
    }

    var ids: [TransferID]? { all ? nil : numbers.map { TransferID($0) } }

    /// Says how many it was done with; fails when none was.
    func report(_ count: Int, _ done: String, _ reason: String) throws {
        if count == 0, !all {
            Terminal.complain("none of them \(reason)")
            throw ExitCode(1)
        }
        print("\(count) \(count == 1 ? "transfer" : "transfers") \(done)")
    }
}

struct QueuePause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop transfers until they are resumed; what they have stays.")
    @OptionGroup var account: QueueAccount
    @OptionGroup var selection: QueueSelection

    func run() async throws {
        let count = try await TransferQueue(of: account.catalogue()).pause(selection.ids)
        try selection.report(count, "paused", "waits or runs")
    }
}

struct QueueResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Let paused transfers go on.")
    @OptionGroup var account: QueueAccount
    @OptionGroup var selection: QueueSelection

    func run() async throws {
        let count = try await TransferQueue(of: account.catalogue()).resume(selection.ids)
        try selection.report(count, "resumed", "is paused")
    }
}

struct QueueCancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Give transfers up; what was loaded of them is removed.")
    @OptionGroup var account: QueueAccount
    @OptionGroup var selection: QueueSelection

    func run() async throws {
        let count = try await TransferQueue(of: account.catalogue()).cancel(selection.ids)
        try selection.report(count, "cancelled", "waits, runs or is paused")
    }
}

struct QueueRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try again what failed, and at once what waits for its next attempt.")
    @OptionGroup var account: QueueAccount
    @OptionGroup var selection: QueueSelection

    func run() async throws {
        let count = try await TransferQueue(of: account.catalogue()).retry(selection.ids)
        try selection.report(count, "to be tried again", "failed, was cancelled, or waits")
    }
}

struct QueueMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a waiting transfer among those of its priority.")
    @OptionGroup var account: QueueAccount

    @Argument(help: "Its number.")
    var number: Int64

    @Argument(help: "first, up, down or last.", transform: QueueMove.move)
    var place: TransferQueue.Move

    private static func move(_ word: String) throws -> TransferQueue.Move {
        guard let move = TransferQueue.Move(rawValue: word) else { throw ValidationError("first, up, down or last") }
        return move
    }

    func run() async throws {
        let isMoved = try await TransferQueue(of: account.catalogue()).move(TransferID(number), place)
        guard isMoved else {
            Terminal.complain("\(number) does not wait, or is there already")
            throw ExitCode(1)
        }
    }
}

struct QueueClear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Forget what is done, failed or cancelled.")
    @OptionGroup var account: QueueAccount

    func run() async throws {
        let count = try await TransferQueue(of: account.catalogue()).forget()
        print("\(count) forgotten")
    }
}
