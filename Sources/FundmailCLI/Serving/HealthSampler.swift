import FundCore
import FundServer
import FundStore
import Logging
import ServiceLifecycle
import Terminal

/// Notes once a minute how the server has been doing, in one short transaction.
struct HealthSampler: Service {
    private static let period: Int64 = 60

    let store: FundStore
    let requestFailures: @Sendable () -> RequestFailures
    /// Names of the mailboxes that are watched now: what waits in others will never be fetched.
    let mailboxes: @Sendable () -> Set<String>
    let logger: Logger

    /// Counters of this process, and when they were read.
    private struct Reading {
        var time: Timestamp
        var ingest: IngestStatistics
        var requests: RequestFailures
    }

    private var reading: Reading {
        Reading(time: .now, ingest: store.mail.statistics, requests: requestFailures())
    }

    /// Runs until graceful shutdown; then notes what has not been noted yet.
    func run() async throws {
        let last = await cancelWhenGracefulShutdown {
            var last = reading
            while !Task.isCancelled {
                // At the beginning of a minute by the clock, which is looked at anew each time: it may be set.
                try? await Task.sleep(for: .seconds(Self.period - last.time.rawValue % Self.period))
                if !Task.isCancelled { last = await note(since: last) }
            }
            return last
        }
        _ = await note(since: last)
    }

    /// Notes what happened since `last`, for the minute in which that was read, so that each minute has its slot even
    /// if a sleep ends a little early. A failure is logged, and the next sample has it all.
    private func note(since last: Reading) async -> Reading {
        let reading = reading
        do {
            try await store.administration.note(try await sample(from: last, to: reading), at: last.time)
            return reading
        } catch {
            logger.warning("cannot note how the server is doing: \(CommandError(error).message)")
            // The difference is kept, and the time goes on.
            return Reading(time: reading.time, ingest: last.ingest, requests: last.requests)
        }
    }

    private func sample(from last: Reading, to reading: Reading) async throws -> HealthSample {
        let ingest = reading.ingest - last.ingest
        var sample = HealthSample()
        sample.outcomes = ingest.outcomes
        sample.failedMessages = ingest.failedMessages
        sample.timeToRow = ingest.timeToRow
        sample.failedRuns = ingest.failedRuns
        sample.serverErrors = reading.requests.serverErrors - last.requests.serverErrors
        sample.refusedRequests = reading.requests.refused - last.requests.refused
        let names = mailboxes()
        let waiting = try await store.mail.mailboxStates().filter { names.contains($0.name) }
        sample.waiting = waiting.reduce(0) { $0 + $1.waiting }
        let oldest = waiting.compactMap(\.oldestWaitingAt).min()
        sample.lagSeconds = oldest.map { max(0, reading.time.rawValue - $0.rawValue) } ?? 0
        return sample
    }
}
