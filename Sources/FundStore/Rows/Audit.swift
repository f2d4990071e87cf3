internal import FundCore

extension Database {
    /// Notes in the audit trail what was done, to what, and by whom: `actor` is an address or a program.
    func writeAudit(
        _ action: AuditAction, of subject: String, _ detail: String = "", by actor: String, now: Timestamp = .now
    ) throws {
        try execute(
            "INSERT INTO audit (at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?)",
            [now, actor, action.rawValue, subject, detail])
    }
}
