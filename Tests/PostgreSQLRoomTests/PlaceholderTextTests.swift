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

    @Test func placeholdersWithoutATypeAroundThemAreFound() {
        #expect(PlaceholderText("? IS NULL OR a = ?").typesOfNull == [1: .text])
        #expect(PlaceholderText("(?1\n    is not null)").typesOfNull == [1: .text])
        #expect(PlaceholderText("a IS NOT DISTINCT FROM ? AND ? IS TRUE").typesOfNull == [:])
        #expect(PlaceholderText("SELECT id FROM unnest(?) AS t(id)").typesOfNull == [1: .int8Array])
    }
}
