import ArgumentParser
import Foundation
import FundClient
import Terminal

struct QueueRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Transfer everything in the queue, until all is done.",
        discussion: """
            Several runs may work at once, and each may be stopped at any time: the next run goes on with its \
            transfers. The exit status is that of the first transfer that failed.
            """)
    @OptionGroup var globals: GlobalOptions

    @Option(help: ArgumentHelp("The number of transfers at a time.", valueName: "count"))
    var transfers = 6

    @Flag(help: "Wait for more when all is done.")
    var watch = false

    func validate() throws {
        guard (1...64).contains(transfers) else { throw ValidationError("--transfers must be from 1 to 64.") }
    }

    func run() async throws {
        let catalogue = try globals.catalogue()
        let (queue, cache) = (TransferQueue(of: catalogue), ContentCache(of: catalogue))
        try await cache.sweep()
        let before = Set(try await queue.transfers(in: [.done, .failed, .cancelled]).map(\.id))
        var refusal: ClientError?
        try await globals.withSession { session in
            let runner = TransferRunner(queue, cache: cache, server: session, limit: transfers)
            let showing = Task { try await show(queue) }
            refusal = await Self.run(runner, until: watch ? .never : .whenEmpty)
            showing.cancel()
            _ = await showing.result
        }
        let ended = try await queue.transfers(in: [.done, .failed]).filter { !before.contains($0.id) }
        try report(ended)
        if let refusal { throw refusal }
        if let failed = ended.first(where: { $0.state == .failed })?.failure {
            throw ExitCode(ExitStatus(failed.code).rawValue)
        }
    }

    private static func run(_ runner: TransferRunner, until end: TransferRunner.End) async -> ClientError? {
        do {
            try await runner.run(until: end)
            return nil
        } catch {
            return error
        }
    }

    private func show(_ queue: TransferQueue) async throws {
        let line = ProgressLine(isQuiet: globals.quiet || globals.json)
        guard line.isVisible else { return }
        defer { line.clear() }
        for try await progress in queue.progress() { line.show(QueueWords.progress(progress)) }
    }

    private func report(_ ended: [Transfer]) throws {
        if globals.json {
            for transfer in ended { try JSONLine.write(QueueLine(transfer)) }
            return
        }
        for transfer in ended where transfer.state == .failed {
            if let failure = transfer.failure { CommandError(failure).about(transfer.name).report() }
        }
        let done = ended.filter { $0.state == .done }
        let bytes = done.reduce(0) { $0 + ($1.size ?? 0) }
        let failed = ended.count > done.count ? ", \(ended.count - done.count) failed" : ""
        try globals.say("\(Quantity.count(done.count, "transfer")) done (\(Quantity.display(bytes: bytes)))\(failed).")
    }
}
