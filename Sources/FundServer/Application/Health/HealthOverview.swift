package import FundCore
internal import Logging

/// Figures of the server beside its checks; nil for one that cannot be told now.
package struct HealthFigures: Sendable, Hashable {
    /// Bytes that are left for mail and uploads.
    package var freeBytes: Int64?
    /// Changes that no search finds yet, up to 100,000.
    package var searchBacklog: Int?
    /// Contents that the scanner for malware could not look at, up to 1000.
    package var failedScans: Int?
    /// Nil where no letter goes out, too.
    package var letters: LetterFigures?
    /// Nil where the company has no directory, too.
    package var directory: DirectoryFigures?
    /// Nil where the log lies in the folder alone, too.
    package var bucket: BucketFigures?

    package init(
        freeBytes: Int64? = nil, searchBacklog: Int? = nil, failedScans: Int? = nil, letters: LetterFigures? = nil,
        directory: DirectoryFigures? = nil, bucket: BucketFigures? = nil
    ) {
        (self.directory, self.bucket) = (directory, bucket)
        self.freeBytes = freeBytes
        self.searchBacklog = searchBacklog
        self.failedScans = failedScans
        self.letters = letters
    }
}

/// Figures about letters that go out.
package struct LetterFigures: Sendable, Hashable {
    /// Letters that wait.
    package var waiting: Int
    /// Letters that failed, or of which it is not known whether they arrived.
    package var troubled: Int
    /// The reason why no letter can be handed over now, with what to do; nil for none.
    package var problem: String?

    package init(waiting: Int, troubled: Int, problem: String? = nil) {
        (self.waiting, self.troubled, self.problem) = (waiting, troubled, problem)
    }
}

/// Figures about the company's directory of people.
package struct DirectoryFigures: Sendable, Hashable {
    /// People of it whom users see now.
    package var people: Int
    /// Time of the last look at its source that went well; nil for none since the start.
    package var readAt: Timestamp?
    /// The reason why it cannot be read now, with what to do; nil for none.
    package var problem: String?

    package init(people: Int, readAt: Timestamp? = nil, problem: String? = nil) {
        (self.people, self.readAt, self.problem) = (people, readAt, problem)
    }
}

/// Figures about the bucket that has what is sealed of the log.
package struct BucketFigures: Sendable, Hashable {
    /// Bytes of the log that are on this disk only.
    package var waitingBytes: Int64
    /// The reason why the bucket cannot be used now, with what to do; nil for none.
    package var problem: String?

    package init(waitingBytes: Int64, problem: String? = nil) {
        (self.waitingBytes, self.problem) = (waitingBytes, problem)
    }
}

/// How the server is doing and has been doing, for administrators: the same for the page and the web API.
struct HealthOverview: Sendable {
    let register: any HealthRegister
    let readiness: Readiness
    let figures: @Sendable () async -> HealthFigures

    struct State: Sendable {
        var findings: [Readiness.Finding]
        var figures: HealthFigures
        var slots: [HealthSlot]
    }

    /// Throws the error of the store.
    func state(of period: HealthPeriod, now: Timestamp, logger: Logger) async throws -> State {
        State(
            findings: try await readiness.findings(logger: logger), figures: await figures(),
            slots: try await register.healthSlots(period, now: now))
    }
}
