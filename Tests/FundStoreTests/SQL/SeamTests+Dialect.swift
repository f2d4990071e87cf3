import FundCore
import Testing

@testable import FundStore

struct SameValues: SeamTest {
    func run(_ db: Database) throws {
        try db.execute("INSERT INTO play (name, number) VALUES ('a', 1), ('b', NULL)", [])
        let same = "SELECT name FROM play WHERE number IS NOT DISTINCT FROM ?"
        let different = "SELECT name FROM play WHERE number IS DISTINCT FROM ?"
        for (number, isSame, isDifferent) in [(1, "a", "b"), (nil, "b", "a")] as [(Int?, String, String)] {
            #expect(try db.values(same, [number]) == [isSame])
            #expect(try db.values(different, [number]) == [isDifferent])
        }
        #expect(
            try db.values("SELECT name FROM play WHERE (?1 IS NULL OR number = ?1) ORDER BY name", [nil]) == ["a", "b"])
        #expect(try db.values("SELECT name FROM play WHERE (?1 IS NULL OR number = ?1)", [1]) == ["a"])
    }
}

struct ListsAsArguments: SeamTest {
    func run(_ db: Database) throws {
        let words = ["a", "", "b,c", "\"", "{}", "\\", "NULL", "'", "ü\n"]
        for word in words { try db.execute("INSERT INTO play (name) VALUES (?)", [word]) }
        let byName = "SELECT count(*) FROM play WHERE name \(SQL.isAmong("?"))"
        for word in words { #expect(try db.value(byName, [SQL.list(words: [word])]) == 1) }
        #expect(try db.value(byName, [SQL.list(words: words)]) == words.count)
        #expect(try db.value(byName, [SQL.list(words: [])]) == 0)
        let byID = "SELECT count(*) FROM play WHERE id \(SQL.isAmong("?"))"
        #expect(try db.value(byID, [SQL.list([1, 2, 99])]) == 2)
        #expect(try db.value(byID, [SQL.list([])]) == 0)
        #expect(try db.value(byID, [SQL.list(1...100_000)]) == words.count)
        #expect(
            try db.values("SELECT id FROM (\(SQL.each("?"))) AS list ORDER BY id", [SQL.list([3, -1])]) == [-1, 3])
        #expect(
            try db.value("SELECT count(*) FROM play WHERE (?1 IS NULL OR id \(SQL.isAmong("?1")))", [nil])
                == words.count)
    }
}

struct GreatestAndLeast: SeamTest {
    func run(_ db: Database) throws {
        try db.execute("INSERT INTO play (name, number) VALUES ('a', 5)", [])
        for (other, greatest, least) in [(3, 5, 3), (7, 7, 5), (nil, nil, nil)] as [(Int?, Int?, Int?)] {
            #expect(try db.value("SELECT \(SQL.greatest("number", "?")) FROM play", [other]) == greatest)
            #expect(try db.value("SELECT \(SQL.least("?", "number")) FROM play", [other]) == least)
        }
        let upsert = """
            INSERT INTO play (name, number) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET number = \(SQL.greatest("play.number", "excluded.number"))
            """
        for (number, kept) in [(9, 9), (2, 9), (10, 10)] {
            try db.execute(upsert, ["a", number])
            #expect(try db.value("SELECT number FROM play", []) == kept)
        }
        try db.execute("UPDATE play SET number = \(SQL.least("number", "?")), note = ? WHERE name = ?", [4, "n", "a"])
        #expect(try db.value("SELECT number FROM play WHERE note = 'n'", []) == 4)
        #expect(try db.value("SELECT \(SQL.greatest("max(number)", "count(*)")) FROM play", []) == 4)
    }
}

struct TextsThatContainOthers: SeamTest {
    func run(_ db: Database) throws {
        try db.execute("INSERT INTO play (name) VALUES (?), (?), (NULL)", ["100 % of_Ärzte", "plain"])
        func names(_ condition: String, _ part: String) throws -> [String] {
            try db.values("SELECT name FROM play WHERE \(condition) ORDER BY name", [part])
        }
        let contains = SQL.contains("name", "?")
        let caseless = SQL.containsCaseless("name", "?")
        for (part, count) in [("%", 1), ("_", 1), ("Ä", 1), ("ä", 0), ("PLAIN", 0), ("la", 1), ("", 2), ("x", 0)] {
            #expect(try names(contains, part).count == count, "\(part)")
        }
        // Letters beyond A to Z have one case: what is found stays the same whatever the locale of the database.
        for (part, count) in [("PLAIN", 1), ("OF_", 1), ("Ä", 1), ("ä", 0), ("ÄRZTE", 1), ("ärzte", 0)] {
            #expect(try names(caseless, part).count == count, "\(part)")
        }
    }
}

struct BytesAndLines: SeamTest {
    func run(_ db: Database) throws {
        #expect(try db.value("SELECT \(SQL.lines("name")) FROM play", []) as String? == nil)
        try db.execute("INSERT INTO play (name, number) VALUES ('aü日', 1), ('', 2), (NULL, 3)", [])
        #expect(
            try db.values("SELECT \(SQL.bytes("name")) FROM play WHERE name IS NOT NULL ORDER BY number", []) == [6, 0])
        let lines: String = try #require(try db.value("SELECT \(SQL.lines("number")) FROM play", []))
        #expect(lines.split(separator: "\n").sorted() == ["1", "2", "3"])
    }
}

struct ParentsOfRows: SeamTest {
    func run(_ db: Database) throws {
        #expect(SQL.column(ofParent: SQL.parent("folder_id")) == "folder_id")
        #expect(SQL.column(ofParent: "folder_id") == nil)
        try db.execute("INSERT INTO play (name, number) VALUES ('a', NULL), ('b', 4)", [])
        #expect(try db.values("SELECT \(SQL.parent("number")) FROM play ORDER BY name", []) == [0, 4])
        try db.execute("CREATE UNIQUE INDEX by_parent ON play (\(SQL.parent("number")), note)", [])
        try db.execute("UPDATE play SET note = 'n', number = NULL WHERE name = 'a'", [])
        #expect(throws: (any Error).self) { try db.execute("UPDATE play SET note = 'n', number = NULL", []) }
    }
}

struct HintsChangeNoRows: SeamTest {
    func run(_ db: Database) throws {
        try db.execute("CREATE INDEX by_number ON play (number)", [])
        try db.execute("INSERT INTO play (name, number) VALUES ('a', 2), ('b', 1)", [])
        let join =
            "SELECT one.name FROM play AS one \(SQL.thenJoin) play AS two ON two.id = one.number WHERE two.name = ?"
        #expect(try db.values(join, ["b"]) == ["a"])
        #expect(
            try db.values("SELECT name FROM \(SQL.table("play", using: "by_number")) WHERE number > 1", []) == ["a"])
        let index = SQL.constraintIndex(1, of: "play")
        #expect(try db.values("SELECT id FROM \(SQL.table("play", using: index)) WHERE name = 'b'", []) == [2])
        #expect(try db.values("SELECT name FROM \(SQL.scan("play")) ORDER BY id", []) == ["a", "b"])
    }
}

/// Order and equality are those of the bytes, whatever the locale of the database.
struct TextsSortByTheirBytes: SeamTest {
    func run(_ db: Database) throws {
        let texts = [
            "", " ", "-a", "A", "B", "Z", "_", "a", "aa", "b", "z", "e\u{301}", "\u{E9}", "Ä", "ß", "日", "👩",
            "\u{FFFD}",
        ]
        for text in texts.shuffled() { try db.execute("INSERT INTO play (name) VALUES (?)", [text]) }
        let sorted = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let names: [String] = try db.values("SELECT name FROM play ORDER BY name", [])
        #expect(names.map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
        let descending: [String] = try db.values("SELECT name FROM play ORDER BY name DESC", [])
        #expect(descending.map { Array($0.utf8) } == sorted.reversed().map { Array($0.utf8) })
        let keyset = Keyset("name", "id")
        for (index, text) in sorted.enumerated() {
            let behind: Int? = try db.value(
                "SELECT count(*) FROM play WHERE \(keyset.isBehind("?, ?"))", [text, Int64.max])
            #expect(behind == sorted.count - index - 1)
            let between: Int? = try db.value(
                "SELECT count(*) FROM play WHERE name <= ? AND name >= ?", [text, sorted[0]])
            #expect(between == index + 1)
        }
        #expect(try db.value("SELECT count(DISTINCT name) FROM play", []) == texts.count)
        let (least, greatest): (String?, String?) = (
            try db.value("SELECT min(name) FROM play", []), try db.value("SELECT max(name) FROM play", [])
        )
        #expect(least == "" && greatest == sorted.last)
    }
}
