import FundCore
import Testing

@testable import FundStore

struct NumbersAreGivenOnce: SeamTest {
    func run(_ db: Database) throws {
        func insert() throws -> Int64 {
            let id: ID<Fund> = try db.insert("INSERT INTO play (number) VALUES (?)", [1])
            return id.rawValue
        }
        #expect(try db.lastNumber(of: "play") == 0)
        #expect(try [insert(), insert()] == [1, 2])
        #expect(try db.lastNumber(of: "play") == 2)
        try db.execute("DELETE FROM play", [])
        #expect(try db.lastNumber(of: "play") == 2)
        #expect(try insert() == 3)
        try db.passNumbers(100, of: "play")
        #expect(try db.lastNumber(of: "play") == 103)
        #expect(try insert() == 104)
    }
}

struct ChangesAreKeptOrUndone: SeamTest {
    func run(_ db: Database) throws {
        func add(_ name: String) throws { try db.execute("INSERT INTO play (name) VALUES (?)", [name]) }
        func undone(_ change: () throws -> Void) -> Bool {
            do { try change() } catch { return true }
            return false
        }
        let count = try db.transaction {
            try add("kept")
            return try db.value("SELECT count(*) FROM play", []) as Int?
        }
        #expect(count == 1)
        let isUndone = undone {
            try db.transaction {
                try add("undone")
                throw CancellationError()
            }
        }
        #expect(isUndone)
        try db.transaction {
            try add("outer")
            let isUndone = undone {
                try db.savepoint {
                    try db.savepoint { try add("inner") }
                    try add("kept")
                }
            }
            #expect(isUndone)
            try db.savepoint { try add("second") }
        }
        #expect(try db.values("SELECT name FROM play ORDER BY id", []) == ["kept", "outer", "second"])
        let names: [String] = try db.readTransaction { try db.values("SELECT name FROM play", []) }
        #expect(names.count == 3)
        let isEnded = undone { try db.readTransaction { throw CancellationError() } }
        #expect(isEnded)
        try add("after")
    }
}

struct LimitsOfTime: SeamTest {
    func run(_ db: Database) throws {
        let long = """
            WITH RECURSIVE number (value) AS (
                SELECT CAST(? AS bigint) UNION ALL SELECT value + 1 FROM number WHERE value < 1000000000
            ) SELECT count(*) FROM number
            """
        let start = ContinuousClock.now
        let error = #expect(throws: StoreError.self) {
            try db.limited(to: .milliseconds(200), "count") { _ = try db.value(long, [1]) as Int? }
        }
        #expect(error?.code == .tookTooLong)
        #expect(.now - start < .seconds(20))
        #expect(try db.limited(to: .seconds(60), "count") { try db.value("SELECT 1", []) as Int? } == 1)
        try db.execute("INSERT INTO play (name) VALUES ('after')", [])
    }
}
