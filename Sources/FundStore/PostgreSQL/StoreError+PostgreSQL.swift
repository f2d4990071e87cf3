import FundCore
import PostgreSQLRoom

extension StoreError {
    /// Turns errors of PostgreSQL into a `StoreError`; any other error stays as it is.
    static func wrap(postgreSQL error: any Error, _ operation: String) -> any Error {
        guard let error = error as? PostgreSQLError else { return error }
        guard error.code != .cancelled else { return CancellationError() }
        // The role may not do what a store needs.
        let code = error.state == "42501" ? .notAStore : code(of: error.code)
        return StoreError(code, operation, error.description + (advice(error).map { ": \($0)" } ?? ""))
    }

    /// The next step, where one helps for certain.
    private static func advice(_ error: PostgreSQLError) -> String? {
        switch error.state {
        case "3D000": return "make it with createdb --encoding=UTF8 --template=template0 --owner=ROLE NAME"
        case "28P01", "28000": return passwordAdvice
        case "42501": return "make the role the owner of the database (ALTER DATABASE NAME OWNER TO ROLE)"
        default: break
        }
        if error.message.contains("no password supplied") { return passwordAdvice }
        guard error.message.contains("certificate") else { return nil }
        return "sslrootcert=FILE in the address names the authority of the server's certificate"
    }

    private static let passwordAdvice =
        "the password of the role comes from ~/.pgpass, PGPASSFILE, PGPASSWORD, or ?passfile=FILE in the address"

    private static func code(of code: PostgreSQLError.Code) -> Code {
        switch code {
        case .full: .outOfSpace
        case .unreachable, .refused, .lost, .readOnly: .unreachable
        case .uncertain: .uncertain
        case .busy, .conflict, .planChanged, .lockTimeout: .held
        case .tookTooLong: .tookTooLong
        case .damaged: .corrupted
        case .textRefused: .invalid
        case .unsuitable: .notAStore
        default: .io
        }
    }
}
