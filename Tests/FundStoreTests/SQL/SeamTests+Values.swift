import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundStore

struct ValuesComeBack: SeamTest {
    func run(_ db: Database) throws {
        let digest = ContentDigest.of([1, 2, 3])
        let insert = "INSERT INTO play (name, note, number, content) VALUES (?, ?, ?, ?)"
        let first: ID<User> = try db.insert(insert, ["a", nil, true, digest])
        let second: ID<User> = try db.insert(insert, ["b", "Grüße 👩‍👩‍👧", Int64.min, Data([0, 255])])
        let third: ID<User> = try db.insert(insert, ["", nil, Timestamp(7), Data()])
        #expect([first, second, third].map(\.rawValue) == [1, 2, 3])

        #expect(try db.value("SELECT note FROM play WHERE id = ?", [second]) == "Grüße 👩‍👩‍👧")
        #expect(try db.value("SELECT note FROM play WHERE id = ?", [first]) as String? == nil)
        #expect(try db.value("SELECT note FROM play WHERE id = ?", [9]) as String? == nil)
        #expect(try db.value("SELECT number FROM play WHERE id = ?", [first]) == true)
        #expect(try db.value("SELECT number FROM play WHERE id = ?", [second]) == Int64.min)
        #expect(try db.value("SELECT number FROM play WHERE id = ?", [third]) == Timestamp(7))
        #expect(try db.value("SELECT content FROM play WHERE content = ?", [digest]) == digest)
        #expect(try db.value("SELECT content FROM play WHERE id = ?", [second]) == Data([0, 255]))
        #expect(try db.value("SELECT content FROM play WHERE id = ?", [third]) == Data())
        #expect(try db.value("SELECT count(*) FROM play WHERE content IS NULL", []) == 0)
        #expect(try db.value("SELECT sum(id) FROM play", []) == 6)
        #expect(try db.exists("SELECT 1 FROM play WHERE name = ?", ["b"]))
        #expect(try !db.exists("SELECT 1 FROM play WHERE name = ?", ["c"]))
        #expect(throws: (any Error).self) { try db.value("SELECT 1 WHERE 1 = ?", []) as Int? }
        #expect(throws: (any Error).self) { try db.value("SELECT name FROM play", []) as ContentDigest? }

        let row = try #require(try db.row("SELECT * FROM play WHERE id = 1", []))
        #expect(row.count == 5)
        #expect(row[0] == first && row["name"] == "a")
        #expect(row[2] as String? == nil && row["note"] as String? == nil)
        #expect(try row.digest(4) == digest && row.digest("content") == digest)
        let other = try #require(try db.row("SELECT content, 1, 2 FROM play WHERE id = 2", []))
        #expect(throws: StoreError.self) { try other.digest(0) }
        #expect(try other.item(1).number == 2)
        let none = try db.row("SELECT * FROM play WHERE id = 9", [])
        #expect(none.map { _ in true } == nil)
    }
}

struct RowsComeInTheirOrder: SeamTest {
    func run(_ db: Database) throws {
        for number in 1...300 {
            try db.execute("INSERT INTO play (name, number) VALUES (?, ?)", ["n\(number)", number])
        }
        #expect(try db.values("SELECT number FROM play ORDER BY number DESC \(SQL.limit(2))", []) == [300, 299])
        let texts = try db.rows("SELECT number, name FROM play WHERE number < ? ORDER BY number", [4]) { row in
            "\(row[0] as Int) \(row[1] as String)"
        }
        #expect(texts == ["1 n1", "2 n2", "3 n3"])
        var seen: [Int] = []
        try db.forEach("SELECT number FROM play ORDER BY number", []) { row in
            seen.append(row[0])
            return seen.count < 5
        }
        #expect(seen == [1, 2, 3, 4, 5])
        #expect(throws: CancellationError.self) {
            try db.forEach("SELECT number FROM play", []) { _ in throw CancellationError() }
        }
        #expect(try db.value("SELECT count(*) FROM play", []) == 300)
        #expect(try db.rows("SELECT number FROM play WHERE number > ?", [300]) { $0[0] as Int } == [])
    }
}

struct CountsOfChanges: SeamTest {
    func run(_ db: Database) throws {
        let insert = "INSERT INTO play (name) VALUES (?) ON CONFLICT DO NOTHING"
        #expect(try db.execute(insert, ["a"]) == 1)
        #expect(try db.execute(insert, ["a"]) == 0)
        #expect(try db.execute(insert, ["b"]) == 1)
        #expect(try db.execute("UPDATE play SET number = ? WHERE name <> ?", [1, "c"]) == 2)
        #expect(try db.execute("DELETE FROM play WHERE name = ?", ["a"]) == 1)
        #expect(try db.execute("DELETE FROM play WHERE name = ?", ["a"]) == 0)
        #expect(throws: (any Error).self) { try db.execute("INSERT INTO play (name) VALUES (?)", ["b"]) }
        #expect(try db.execute("INSERT INTO play (name) VALUES (?)", ["c"]) == 1)
    }
}

/// A NUL ends no batch: it is kept as U+FFFD, on its own and in lists.
struct TextsAreCleaned: SeamTest {
    func run(_ db: Database) throws {
        try db.transaction {
            try db.execute("INSERT INTO play (name) VALUES (?)", ["a\0b"])
            try db.execute("INSERT INTO play (name) VALUES (?)", ["after"])
        }
        let kept = "a\u{FFFD}b"
        #expect(try db.value("SELECT name FROM play WHERE name = ?", ["a\0b"]) == kept)
        #expect(
            try db.value("SELECT count(*) FROM play WHERE name \(SQL.isAmong("?"))", [SQL.list(words: [kept])]) == 1)
        let long = String(repeating: "ü", count: 1 << 20)
        try db.execute("UPDATE play SET note = ? WHERE name = ?", [long, "after"])
        #expect(try db.value("SELECT note FROM play WHERE name = 'after'", []) == long)
    }
}

struct BeginningsOfTexts: SeamTest {
    func run(_ db: Database) throws {
        let text = "aü日👩" + String(repeating: "x", count: 100_000)
        let id: ID<Fund> = try db.insert("INSERT INTO play (name) VALUES (?)", [text])
        for count in [0, 1, 2, 3, 5, 6, 9, 10, 50_000] {
            let bytes = try db.beginning(of: "name", in: "play", row: id.rawValue, bytes: count)
            #expect(bytes == Array(text.utf8.prefix(count)))
        }
        let all = try db.beginning(of: "name", in: "play", row: id.rawValue, bytes: 1_000_000)
        #expect(all == Array(text.utf8))
        #expect(try db.beginning(of: "note", in: "play", row: id.rawValue, bytes: 10) == nil)
        #expect(try db.beginning(of: "name", in: "play", row: 99, bytes: 10) == nil)
    }
}
