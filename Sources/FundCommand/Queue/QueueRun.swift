internal import ArgumentParser
internal import Foundation
internal import FundClient

struct QueueRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Transfer what is in the queue, until all is done.",
        discussion: """
            Several may run at once, and each may be stopped at any time: what it had goes on with the next. Ends with \
            1 when a transfer failed.
            """)
    @OptionGroup var account: QueueAccount

    @Option(help: "Transfers at once.")
    var limit = 6

    @Flag(help: "Wait for more when all is done.")
    var watch = false

    @Flag(name: .shortAndLong, help: "No progress.")
    var quiet = false

    @Flag(help: "One JSON object a line: each transfer that is done or failed.")
    var json = false

    func validate() throws {
        guard (1...64).contains(limit) else { throw ValidationError("--limit is from 1 to 64") }
    }

    func run() async throws {
        let catalogue = try account.catalogue()
        let (queue, cache) = (TransferQueue(of: catalogue), ContentCache(of: catalogue))
        try await cache.sweep()
        let session = try account.session()
        let before = Set(try await queue.transfers(in: [.done, .failed, .cancelled]).map(\.id))
        let runner = TransferRunner(queue, cache: cache, server: session, limit: limit)
        let showing = Task { try await show(queue, besides: before) }
        let result: Result<Void, any Error>
        do {
            try await runner.run(until: watch ? .never : .whenEmpty)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        showing.cancel()
        _ = await showing.result
        await session.transport.shutdown()
        let ended = try await queue.transfers(in: [.done, .failed]).filter { !before.contains($0.id) }
        try report(ended)
        if case .failure(let error as ClientError) = result {
            Terminal.complain(QueueWords.reason(error))
            throw ExitCode(error.code == .unauthenticated ? 77 : 76)
        }
        try result.get()
        if ended.contains(where: { $0.state == .failed }) { throw ExitCode(1) }
    }

    private func show(_ queue: TransferQueue, besides before: Set<TransferID>) async throws {
        guard !quiet, !json, Terminal.showsProgress else { return }
        for try await progress in queue.progress() {
            Terminal.showProgress(QueueWords.progress(progress, width: Terminal.width))
        }
        Terminal.showProgress("")
    }

    private func report(_ ended: [Transfer]) throws {
        if json {
            for transfer in ended { print(try QueueLine(transfer).text) }
            return
        }
        for transfer in ended where transfer.state == .failed {
            Terminal.complain("\(Terminal.harmless(transfer.name)): \(QueueWords.note(transfer))")
        }
        guard !quiet else { return }
        let done = ended.filter { $0.state == .done }
        let bytes = done.reduce(0) { $0 + ($1.size ?? 0) }
        print("\(done.count) done (\(QueueWords.size(bytes))), \(ended.count - done.count) failed")
    }
}
