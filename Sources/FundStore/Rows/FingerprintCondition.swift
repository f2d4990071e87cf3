import FundCore
internal import GRDB

extension SpooledMessage {
    /// Of a row of a table with fingerprints: it has the message's, or what an earlier version may have stored.
    var fingerprintCondition: (sql: String, arguments: StatementArguments) {
        guard let formerFingerprint else { return ("fingerprint = ?", [fingerprint.column]) }
        return ("fingerprint IN (?, ?)", [fingerprint.column, formerFingerprint.column])
    }
}
