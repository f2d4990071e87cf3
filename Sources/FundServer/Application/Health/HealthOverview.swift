internal import FundCore
internal import Logging

/// Figures of the server beside its checks; nil for one that cannot be told now.
package struct HealthFigures: Sendable, Hashable {
    /// Bytes that are left for mail and uploads.
    package var freeBytes: Int64?
    /// Changes that no search finds yet, up to 100,000.
    package var searchBacklog: Int?
    /// Contents that the scanner for malware could not look at, up to 1000.
    package var failedScans: Int?

    package init(freeBytes: Int64? = nil, searchBacklog: Int? = nil, failedScans: Int? = nil) {
        self.freeBytes = freeBytes
        self.searchBacklog = searchBacklog
        self.failedScans = failedScans
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
