internal import GRDB

enum Audit {
    static func write(
        _ db: Database, actor: String, action: String, subject: String, detail: String = "",
        now: Int64 = currentSeconds()
    ) throws {
        try db.cachedStatement(
            sql: "INSERT INTO audit (at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [now, actor.cleaned, action, subject.cleaned, detail.cleaned])
    }
}
