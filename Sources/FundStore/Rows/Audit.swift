internal import FundCore
internal import GRDB

enum Audit {
    static func write(
        _ db: Database, actor: String, action: String, subject: String, detail: String = "",
        now: Timestamp = .now
    ) throws {
        try db.cachedStatement(
            sql: "INSERT INTO audit (at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [now, actor.cleaned, action, subject.cleaned, detail.cleaned])
    }
}
