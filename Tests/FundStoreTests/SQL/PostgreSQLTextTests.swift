import Testing

@testable import FundStore

/// The terms of `SQL` as PostgreSQL spells them, and what stays as it is.
struct PostgreSQLTextTests {
    static let texts: [(String, String)] = [
        (SQL.parent("folder_id"), "coalesce(folder_id, 0)"),
        (SQL.bytes("name"), "octet_length(name)"),
        (SQL.lines("name"), "string_agg(CAST(name AS text), chr(10))"),
        (SQL.contains("name", "?1"), "strpos(name, ?1) > 0"),
        (SQL.containsCaseless("name", "?"), "strpos(lower(name COLLATE \"C\"), lower(?1 COLLATE \"C\")) > 0"),
        (SQL.isAmong("?2"), "IN (SELECT value AS id FROM unnest(?2) AS listed (value))"),
        ("a \(SQL.thenJoin) b ON true", "a JOIN b ON true"),
        (SQL.greatest("a", "?"), "CASE WHEN a >= ?1 THEN a WHEN a < ?1 THEN ?1 END"),
        (SQL.least("max(b)", "3"), "CASE WHEN max(b) <= 3 THEN max(b) WHEN max(b) > 3 THEN 3 END"),
        ("SELECT 1 FROM \(SQL.table("email", using: "email_arrival")) WHERE true", "SELECT 1 FROM email  WHERE true"),
        ("FROM \(SQL.scan("\"user\" AS item")) WHERE true", "FROM \"user\" AS item  WHERE true"),
        ("CAST(a AS INTEGER)", "CAST(a AS bigint)"),
        ("SELECT max(a), min(b), length(c) FROM d", "SELECT max(a), min(b), length(c) FROM d"),
        ("ifnull(instr(a, b), 0)", "coalesce(strpos(a, b), 0)"),
        ("'ifnull(a, 0)' || \"lower(b)\" -- max(a, b)\n", "'ifnull(a, 0)' || \"lower(b)\" -- max(a, b)\n"),
        ("a = ? AND b = ?3 AND c = ?", "a = ?1 AND b = ?3 AND c = ?4"),
        ("NOT EXISTS (SELECT 1 FROM a CROSS JOIN b)", "NOT EXISTS (SELECT 1 FROM a JOIN b)"),
        ("grüße ifnull(", "grüße ifnull("),
        ("SELECT 1 FROM (SELECT 2) WHERE true", "SELECT 1 FROM (SELECT 2) AS unnamed_4 WHERE true"),
        ("FROM (SELECT 1 FROM (SELECT 2)) AS a", "FROM (SELECT 1 FROM (SELECT 2) AS unnamed_7) AS a"),
        ("a IS b AND c IS NOT 'd'", "a IS NOT DISTINCT FROM b AND c IS DISTINCT FROM 'd'"),
        ("a IS NULL OR b IS NOT NULL OR c is not  true", "a IS NULL OR b IS NOT NULL OR c is not  true"),
        ("JOIN user ON user.id = 1", "JOIN \"user\" ON \"user\".id = 1"),
        ("a IS DISTINCT FROM (SELECT 1)", "a IS DISTINCT FROM (SELECT 1)"),
    ]

    @Test(arguments: texts) func isSpelled(sqlite: String, postgreSQL: String) {
        #expect(PostgreSQLText.spelled(sqlite) == postgreSQL)
    }
}
