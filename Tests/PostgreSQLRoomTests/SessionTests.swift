import FundCore
import TestSupport
import Testing

@testable import PostgreSQLRoom

/// Statements, their arguments and the values of their rows, on a real server.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct SessionTests {
    private func session(isBySocket: Bool = false) throws -> PostgreSQLSession {
        try PostgreSQLSession(PostgreSQLServer.shared.get().makeDatabase(isBySocket: isBySocket))
    }

    private func value<Value: PostgreSQLValue>(
        _ session: PostgreSQLSession, _ sql: String, _ values: [PostgreSQLParameter] = []
    ) throws -> Value? {
        try PostgreSQLResultRow(session.run(sql, values), 0).value(0)
    }

    @Test(arguments: [true, false]) func valuesComeBack(isBySocket: Bool) throws {
        let session = try session(isBySocket: isBySocket)
        for number in [0, 1, -1, Int64.max, .min] {
            #expect(try value(session, "SELECT ?", [.integer(number)]) == number)
        }
        for text in ["", "a", "Grüße", "日本語", "👩‍👩‍👧", "'; DROP TABLE x; --", "\\", "?", "a\nb\t\u{1}"] {
            #expect(try value(session, "SELECT ?", [.text(text)]) == text)
        }
        #expect(try value(session, "SELECT ?::text", [.null]) as String? == nil)
        let digest = ContentDigest.of([1, 2, 3])
        #expect(try value(session, "SELECT ?", [.digest(digest)]) == digest)
        #expect(try value(session, "SELECT length(?)", [.bytes([0, 1, 255])]) == 3)
        #expect(try value(session, "SELECT length(?)", [.bytes([])]) == 0)
    }

    @Test(arguments: [
        ("SELECT 1::int2", 1), ("SELECT (-2)::int4", -2), ("SELECT true", 1),
        ("SELECT sum(x) FROM (VALUES (3::int8), (4)) t(x)", 7),
        ("SELECT 10000::numeric", 10_000), ("SELECT -123456789012345678::numeric", -123_456_789_012_345_678),
        ("SELECT 0::numeric", 0), ("SELECT 9223372036854775807::numeric", Int64.max), ("SELECT 5.00", 5),
        ("SELECT -9223372036854775808::numeric", Int64.min), ("SELECT 100000000::numeric", 100_000_000),
    ])
    func wholeNumbersAreReadFromEveryType(sql: String, number: Int64) throws {
        #expect(try value(session(), sql) == number)
    }

    @Test(arguments: ["SELECT 1.5", "SELECT 9223372036854775808::numeric", "SELECT 'a'", "SELECT 'NaN'::numeric"])
    func otherValuesAreNoNumbers(sql: String) throws {
        let session = try session()
        let error = #expect(throws: PostgreSQLError.self) { try value(session, sql) as Int64? }
        #expect(error?.code == .misuse)
    }

    /// A NUL would end the transaction, and with it a batch of hundreds of messages.
    @Test func aNULIsReplacedWhereverATextIsBound() throws {
        let session = try session()
        let (text, kept) = ("a\0b\0", "a\u{FFFD}b\u{FFFD}")
        try session.run(script: "CREATE TABLE play (name text)")
        try session.transaction(.readCommitted) {
            #expect(try value(session, "SELECT ?", [.text(text)]) == kept)
            _ = try session.run("INSERT INTO play SELECT unnest(?)", [.texts([text, nil])])
            #expect(try session.copy(into: "play", ["name"]) { try $0.write([.text(text)]) } == 1)
        }
        #expect(try value(session, "SELECT count(*) FROM play WHERE name = ?", [.text(kept)]) == 2)
    }

    /// Text that does not come by a `String` is refused with a code that says so, and the session goes on.
    @Test func refusedTextIsTold() throws {
        let session = try session()
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x00]] {
            let error = #expect(throws: PostgreSQLError.self) {
                try session.run("SELECT convert_from(?, 'UTF8')", [.bytes(bytes)])
            }
            #expect(error?.code == .textRefused)
        }
        #expect(try value(session, "SELECT 1") == 1)
    }

    @Test func arraysBecomeRows() throws {
        let session = try session()
        let result = try session.run(
            "SELECT * FROM unnest(?, ?, ?) AS t(a, b, c)",
            [.integers([1, nil]), .texts([nil, "x"]), .byteStrings([[1], [2, 3]])])
        #expect(result.rowCount == 2)
        #expect(try PostgreSQLResultRow(result, 0).value(0) == 1)
        #expect(try PostgreSQLResultRow(result, 1).value(0) as Int? == nil)
        #expect(try PostgreSQLResultRow(result, 0).value(1) as String? == nil)
        #expect(try PostgreSQLResultRow(result, 1).value(1) == "x")
        #expect(result.withColumn(2, ofRow: 1) { $0?.bytes } == [2, 3])
        #expect(try value(session, "SELECT count(*) FROM unnest(?) AS t(id)", [.integers([])]) == 0)
    }

    @Test func aHundredThousandArgumentsTravelAsAnArray() throws {
        let session = try session()
        let numbers = (0..<100_000).map { Int64($0) as Int64? }
        #expect(try value(session, "SELECT sum(id) FROM unnest(?) AS t(id)", [.integers(numbers)]) == 4_999_950_000)
        // One by one there may be 65,535: more is an error, and nothing worse.
        let placeholders = Array(repeating: "?", count: 100_000).joined(separator: ",")
        let error = #expect(throws: PostgreSQLError.self) {
            try session.run("SELECT 1 IN (\(placeholders))", numbers.map { .integer($0 ?? 0) })
        }
        #expect(error?.code == .misuse)
        #expect(try value(session, "SELECT 1") == 1)
    }

    @Test func aValueOf64MiBComesBack() throws {
        let session = try session()
        var bytes = [UInt8](repeating: 7, count: 64 << 20)
        bytes[bytes.count - 1] = 9
        let result = try session.run("SELECT ?", [.bytes(bytes)])
        #expect(result.withColumn(0, ofRow: 0) { $0?.bytes } == bytes)
    }

    @Test func nullTakesTheTypeThatStandsAroundIt() throws {
        let session = try session()
        try session.run(script: "CREATE TABLE play (id bigint, name text)")
        for (id, name): (PostgreSQLParameter, PostgreSQLParameter) in [
            (.null, .null), (.integer(1), .null), (.null, .text("a")), (.integer(2), .text("b")), (.null, .null),
        ] {
            #expect(try session.run("INSERT INTO play VALUES (?, ?)", [id, name]).changedCount == 1)
        }
        let sql = "SELECT count(*) FROM play WHERE (? IS NULL OR name = ?2)"
        #expect(try value(session, sql, [.null, .null]) == 5)
        #expect(try value(session, sql, [.text("a"), .text("a")]) == 1)
        let list = "SELECT count(*) FROM play WHERE (?1 IS NULL OR id IN (SELECT id FROM unnest(?1) AS t(id)))"
        #expect(try value(session, list, [.null]) == 5)
        #expect(try value(session, list, [.integers([1, 2])]) == 2)
    }

    @Test func wrongArgumentsAreToldBeforeTheServerSeesThem() throws {
        let session = try session()
        let error = #expect(throws: PostgreSQLError.self) { try session.run("SELECT ?", []) }
        #expect(error?.code == .misuse)
    }

    /// The schema changes under a statement that is kept.
    @Test func aKeptStatementLivesOnUnderANewSchema() throws {
        let settings = try PostgreSQLServer.shared.get().makeDatabase()
        let (session, other) = (try PostgreSQLSession(settings), try PostgreSQLSession(settings))
        try session.run(script: "CREATE TABLE play (name text); INSERT INTO play VALUES ('a')")
        #expect(try session.run("SELECT * FROM play").columnCount == 1)
        try other.run(script: "ALTER TABLE play ADD COLUMN more text")
        #expect(try session.run("SELECT * FROM play").columnCount == 2)
        // Within a transaction it runs again as a whole.
        try other.run(script: "ALTER TABLE play ADD COLUMN most text")
        let error = #expect(throws: PostgreSQLError.self) {
            try session.transaction(.readCommitted) { _ = try session.run("SELECT * FROM play") }
        }
        #expect(error?.canRunAgain == true)
        #expect(try session.run("SELECT * FROM play").columnCount == 3)
    }

    @Test func manyDifferentStatementsKeepNoEndlessMemory() throws {
        let session = try session()
        for number in 0..<(StatementCache.maxCount + 50) { #expect(try value(session, "SELECT \(number)") == number) }
        let kept: Int? = try value(session, "SELECT count(*) FROM pg_prepared_statements")
        #expect(try #require(kept) <= StatementCache.maxCount)
    }

    @Test func rowsComeOneByOneAndEndEarly() throws {
        let session = try session()
        var numbers: [Int] = []
        try session.forEach("SELECT * FROM generate_series(1, 100000)") { row in
            numbers.append(try row.value(0) ?? 0)
            return numbers.count < 5
        }
        #expect(numbers == [1, 2, 3, 4, 5])
        #expect(throws: CancellationError.self) {
            try session.forEach("SELECT * FROM generate_series(1, 10)") { _ in throw CancellationError() }
        }
        #expect(try value(session, "SELECT 1") == 1)
    }

    @Test func columnsHaveNames() throws {
        let result = try session().run("SELECT 1 AS first, 2 AS second")
        #expect(result.column(named: "second") == 1)
        #expect(result.column(named: "third") == nil)
    }

    @Test func emptyStatementsAndNoticesAreHarmless() throws {
        let session = try session()
        #expect(try session.run("").rowCount == 0)
        try session.run(script: "DO $$ BEGIN RAISE WARNING 'a notice'; END $$")
    }
}
