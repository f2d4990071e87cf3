internal import FundCore

/// One attempt at a transfer, with what watches it.
struct TransferRun: Sendable {
    /// The way in which an attempt ended.
    enum Outcome: Sendable {
        /// Everything is tried: files that failed for good are counted.
        case done
        /// The rest is to be tried after a pause.
        case forNow(DriveError)
        /// The rest is to be tried when others had their turn.
        case turnOver
        case failed(DriveError)
        /// By its owner, or since it is not there any more.
        case cancelled
        /// This process ends: the next one goes on.
        case stopped
    }

    /// Time between two notes of progress, and the longest until a cancellation is noticed.
    static let tick = Duration.milliseconds(500)

    let register: any TransferRegister
    let drives: any DriveOperations
    let library: any TransferLibrary
    let transfer: DriveTransfer
    let count = TransferCount()
    let limits: TransferLimits
    /// Raised by commits, such as a cancellation.
    let commits: Signal
    /// Places for files under way, of all transfers.
    let places: ResourcePool<Int>
    let now: @Sendable () -> ContinuousClock.Instant

    func run() async -> Outcome {
        await withTaskGroup(of: Outcome.self) { group in
            group.addTask { await work() }
            group.addTask { await watch() }
            let first = await group.next() ?? .stopped
            group.cancelAll()
            return Task.isCancelled ? .stopped : first
        }
    }

    private func work() async -> Outcome {
        do {
            switch transfer.direction {
            case .pull:
                try await PullRun(
                    register: register, drives: drives, library: library, transfer: transfer, count: count,
                    limits: limits, places: places
                ).run()
            case .push:
                try await PushRun(
                    register: register, drives: drives, library: library, transfer: transfer, count: count,
                    limits: limits, places: places
                ).run()
            }
            return count.left.map { .forNow($0) } ?? .done
        } catch {
            switch try? TransferFailure(error) {
            case .file(let error)?, .all(let error)?: return .failed(error)
            case .fileForNow(let error)?, .allForNow(let error)?: return .forNow(error)
            case .turnOver?: return .turnOver
            case .ended?: return .cancelled
            case nil: return .stopped
            }
        }
    }

    /// Notes the progress until the transfer is cancelled, or too slow.
    private func watch() async -> Outcome {
        var (noted, notedAt) = (transfer.progress, ContinuousClock.now)
        var pace = limits.pace
        while !Task.isCancelled {
            let known = commits.count
            if count.awaitsAnswer {
                pace = limits.pace
            } else if !pace.isEnough(count.work, at: now()) {
                return .forNow(DriveError(.tooSlow))
            }
            do {
                if try await register.isCancelled(transfer.id) { return .cancelled }
                let progress = count.progress
                if progress != noted, .now - notedAt >= Self.tick {
                    try await register.noteProgress(progress, of: transfer.id)
                    (noted, notedAt) = (progress, .now)
                }
            } catch {
                // A store that fails now may answer the next time.
            }
            await commits.wait(after: known, atMost: Self.tick)
        }
        return .stopped
    }
}
