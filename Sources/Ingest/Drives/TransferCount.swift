import FundCore
internal import Synchronization

/// How far a running transfer is, counted by all tasks of it.
final class TransferCount: Sendable {
    private struct State {
        var progress = TransferProgress()
        var arrived = 0
        var firstProblem: (problem: DriveProblem, detail: String)?
        var left: DriveError?
        var leftInRow = 0
        var work = 0
        var entries = 0
        var isTurnOver = false
        var answers = 0
    }

    private let state = Mutex(State())

    /// Files in a row that cannot go now, after which nothing is tried until after a pause.
    private static let maxLeftInRow = 10
    /// Bytes of what is told of a failure.
    private static let maxDetail = 500

    /// A number that grows with each byte that moves and each step, and never shrinks.
    var work: Int { state.withLock { $0.work } }
    var progress: TransferProgress { state.withLock { $0.progress } }
    /// Whether another transfer has its place as soon as the files under way have arrived.
    var isTurnOver: Bool { state.withLock { $0.isTurnOver } }
    /// Files that arrived in this attempt.
    var arrived: Int { state.withLock { $0.arrived } }
    /// The problem of the first file that cannot go, with its name.
    var failure: (problem: DriveProblem, detail: String)? { state.withLock { $0.firstProblem } }
    /// The latest reason why files were left for a later attempt.
    var left: DriveError? { state.withLock { $0.left } }

    /// Whether an answer of the store is awaited that shows no work before its end.
    var awaitsAnswer: Bool { state.withLock { $0.answers > 0 } }

    /// Does what shows no work before its end, such as a listing of a large folder, for which the drives have limits of
    /// their own: the pace of the transfer does not count meanwhile.
    func awaiting<Answer>(_ answer: () async throws -> Answer) async rethrows -> Answer {
        state.withLock { $0.answers += 1 }
        defer { state.withLock { $0.answers -= 1 } }
        return try await answer()
    }

    func endTurn() { state.withLock { $0.isTurnOver = true } }

    /// Counts files and folders that are found. Throws `tooMany` beyond `most`.
    func findEntries(_ count: Int, atMost most: Int) throws {
        let all = state.withLock { state in
            state.entries += count
            return state.entries
        }
        guard all <= most else {
            throw TransferFailure.all(DriveError(.tooMany, "a transfer takes at most \(most) files and folders"))
        }
    }

    func find(_ files: Int, bytes: Int64) {
        state.withLock { state in
            state.progress.totalFiles += files
            state.progress.totalBytes.add(bytes)
        }
    }

    /// - Parameter bytes: fewer than 0 for those that moved for nothing.
    func move(_ bytes: Int64) {
        state.withLock { state in
            state.progress.bytes.add(bytes)
            state.work += max(Int(bytes), 0)
        }
    }

    /// Counts a folder that was listed, or the like: it is worth as much as the least bytes.
    func step() { state.withLock { $0.work += DrivePace.leastBytes } }

    /// - Parameter isNew: false for a file that arrived in an attempt before, with its bytes.
    func arrive(isNew: Bool = true, bytes: Int64 = 0) {
        state.withLock { state in
            state.progress.files += 1
            state.progress.bytes.add(bytes)
            state.work += DrivePace.leastBytes
            if isNew { (state.arrived, state.leftInRow) = (state.arrived + 1, 0) }
        }
    }

    /// Notes a failure that lets other files go on, and throws any other.
    func fail(_ path: DrivePath, _ error: any Error) throws {
        switch try TransferFailure(error) {
        case .file(let error):
            state.withLock { state in
                state.progress.failedFiles += 1
                guard state.firstProblem == nil else { return }
                let detail = "\(path): \(error.detail ?? error.problem.text)"
                state.firstProblem = (
                    error.problem, String(decoding: detail.utf8.prefix(Self.maxDetail), as: UTF8.self)
                )
            }
        case .fileForNow(let error):
            let isEnough = state.withLock { state in
                state.left = error
                state.leftInRow += 1
                return state.leftInRow >= Self.maxLeftInRow
            }
            if isEnough { throw TransferFailure.allForNow(error) }
        case let failure: throw failure
        }
    }
}

extension Int64 {
    /// Adds bytes that a store told of: a sum beyond every number is the largest one.
    mutating func add(_ bytes: Int64) {
        let (sum, isBeyond) = addingReportingOverflow(bytes)
        self = isBeyond ? (bytes < 0 ? .min : .max) : sum
    }
}
