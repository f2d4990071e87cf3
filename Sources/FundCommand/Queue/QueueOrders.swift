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
    func report(_ count: Int, _ done: String, _ reason: String, _ globals: GlobalOptions) throws {
        if count == 0, !all {
            throw CommandError(.refused, "None of them \(reason).")
        }
        try globals.say("\(Quantity.count(count, "transfer")) \(done).")
    }
}

struct QueuePause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop transfers until they are resumed; what they have stays.")
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var selection: QueueSelection

    func run() async throws {
        let count = try await globals.queue().pause(selection.ids)
        try selection.report(count, "paused", "waits or runs", globals)
    }
}

struct QueueResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Let paused transfers go on.")
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var selection: QueueSelection

    func run() async throws {
        let count = try await globals.queue().resume(selection.ids)
        try selection.report(count, "resumed", "is paused", globals)
    }
}

struct QueueCancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Give transfers up; what was loaded of them is removed.")
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var selection: QueueSelection

    func run() async throws {
        let count = try await globals.queue().cancel(selection.ids)
        try selection.report(count, "cancelled", "waits, runs or is paused", globals)
    }
}

struct QueueRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try again what failed, and at once what waits for its next attempt.")
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var selection: QueueSelection

    func run() async throws {
        let count = try await globals.queue().retry(selection.ids)
        try selection.report(count, "to be tried again", "failed, was cancelled, or waits", globals)
    }
}

struct QueueMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a waiting transfer among those of its priority.")
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "Its number.")
    var number: Int64

    @Argument(help: "first, up, down or last.", transform: QueueMove.move)
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
        commandName: "clear", abstract: "Forget what is done, failed or cancelled.")
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let count = try await globals.queue().forget()
        try globals.say("\(Quantity.count(count, "transfer")) forgotten.")
    }
}
