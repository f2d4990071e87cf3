import FundCore
import FundStore
import Logging
import TestSupport

@testable import FundServer

/// The mobile API over a store that outlives the server.
final class MobileServer: Sendable {
    let store: FundStore
    private let server: RunningServer

    var port: Int { server.port }

    /// Says nothing.
    static var quiet: Logger { Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }) }

    init(
        folder: String, clock: TestClock, secondFactors: @escaping @Sendable () -> SecondFactorRule = { .none }
    ) async throws {
        store = try FundStore.open(at: folder, mode: .create, searchWait: .seconds(300))
        var accounts = AccountSettings.quick
        accounts.secondFactors = secondFactors
        let authenticator = try Authenticator(store: store.accounts, settings: accounts, now: { clock.now })
        let interface = MobileAPI(
            accounts: store.accounts, library: store.library, authenticator: authenticator,
            downloads: Downloads(files: store.library, accounts: store.accounts, logger: Self.quiet))
        var settings = HTTPServer.Settings()
        settings.port = 0
        server = try await RunningServer(Self.quiet) { [settings] onListening in
            try HTTPServer(settings, interfaces: [interface], logger: Self.quiet, onListening: onListening)
        }
    }

    func stop() async throws {
        try await server.stop()
        try store.close()
    }

    func exchange(_ request: String, hasBody: Bool) async throws -> RawHTTPResponse? {
        try await server.exchange(request, hasBody: hasBody)
    }
}
