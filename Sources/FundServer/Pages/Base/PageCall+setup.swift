internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageCall {
    /// Throws 404 when the store has an administrator, or had one when the program was started.
    func openSetup() async throws -> SetupCode {
        guard let code = pages.setup.code, !code.isClosed else { throw RequestError.notFound }
        guard try await !administration.hasAdministrator() else {
            code.close()
            throw RequestError.notFound
        }
        return code
    }

    /// Whether this store waits for its first administrator.
    func isSetupOpen() async throws -> Bool {
        do { _ = try await openSetup() } catch let failure as RequestError where failure.status == .notFound {
            return false
        }
        return true
    }
}
