import Testing

@testable import PostgreSQLRoom

@Suite struct PlaceholderTextTests {
    @Test(arguments: [
        ("SELECT 1", "SELECT 1", 0),
        ("a = ? AND b = ?", "a = $1 AND b = $2", 2),
        ("a = ?1 OR b = ?1", "a = $1 OR b = $1", 1),
        // A placeholder without a number has the one after the highest.
        ("?3, ?, ?1", "$3, $4, $1", 4),
        ("a = '?' AND b = ?", "a = '?' AND b = $1", 1),
        ("a = 'it''s ?' AND b = ?", "a = 'it''s ?' AND b = $1", 1),
        (#""a?" = ?"#, #""a?" = $1"#, 1),
        ("a -- is it?\n= ?", "a -- is it?\n= $1", 1),
        ("a - ? -b", "a - $1 -b", 1),
        ("'open ?", "'open ?", 0),
        ("a -- end?", "a -- end?", 0),
        ("'ü' || ?", "'ü' || $1", 1),
    ])
    func placeholdersGetNumbers(sql: String, numbered: String, count: Int) {
        let text = PlaceholderText(sql)
        #expect(text.sql == numbered)
        #expect(text.count == count)
    }

    @Test(arguments: [
        ("?1 IS NULL OR a = ?1", "true OR a = $1"), ("(?1\n    is not null)", "(false)"),
        ("?2 IS NULL OR ?1 IS NULL", "$2 IS NULL OR true"), ("a IS NULL AND b = ?", "a IS NULL AND b = $1"),
        ("?1 IS NULLS", "$1 IS NULLS"), ("? IS", "$1 IS"),
    ])
    func nullIsNotComparedWithItself(sql: String, sent: String) {
        #expect(PlaceholderText(sql, nulls: [1]).sql == sent)
        #expect(!PlaceholderText(sql).sql.contains("true"))
    }

    @Test func placeholdersWithoutATypeAroundThemAreFound() {
        #expect(PlaceholderText("? IS NULL OR a = ?", nulls: [1]).typesOfNull == [1: .text])
        #expect(PlaceholderText("a = ?2").typesOfNull == [1: .text])
        #expect(PlaceholderText("a IS NOT DISTINCT FROM ? AND ? IS TRUE").typesOfNull == [:])
        #expect(PlaceholderText("SELECT id FROM unnest(?) AS t(id)").typesOfNull == [1: .int8Array])
    }
}
