internal import FundCore
internal import Synchronization

/// The services that run, by drive.
final class ServiceTable: Sendable {
    /// Services at a time: each takes some 50 MB.
    private static let maxServices = 6

    private struct Entry: Sendable {
        var service: RcloneService
        var usedAt: ContinuousClock.Instant
    }

    private let services = Mutex<[String: Entry]>([:])
    private let starting = SingleFlight<String, RcloneService>()

    /// The service of a key, started where it does not run. Nil when as many run as may, and all are busy.
    func service(
        _ key: String, start: @escaping @Sendable () async throws -> RcloneService
    ) async throws -> RcloneService? {
        if let service = running(key) { return service }
        guard makeRoom() else { return nil }
        return try await starting.run(key) { [self] in
            if let service = running(key) { return service }
            let service = try await start()
            services.withLock { $0[key] = Entry(service: service, usedAt: .now) }
            return service
        }
    }

    /// The service of a key that runs; nil for none.
    func running(_ key: String) -> RcloneService? {
        services.withLock { services in
            services = services.filter { $0.value.service.isUsable }
            services[key]?.usedAt = .now
            return services[key]?.service
        }
    }

    /// Ends the idle service that was not used for longest, where there are as many as may be.
    private func makeRoom() -> Bool {
        services.withLock { services in
            guard services.count >= Self.maxServices else { return true }
            let idle = services.filter { $0.value.service.isIdle }.min { $0.value.usedAt < $1.value.usedAt }
            guard let idle else { return false }
            services[idle.key] = nil
            idle.value.service.end()
            return true
        }
    }
}
