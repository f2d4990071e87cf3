import FundCore
import Testing

/// Times of RFC 3339.
struct InternetTimeTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2024-02-29T12:30:15.123456Z", 1_709_209_815),
            ("2024-02-29T12:30:15+02:00", 1_709_202_615), ("2024-02-29 12:30:15-05:30", 1_709_229_615),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("2023-02-29T00:00:00Z", nil), ("99999-01-01T00:00:00Z", nil), ("2024-02-29", nil), ("", nil),
            ("2024-02-29T12:30:15", nil), ("2024-02-29T24:00:00Z", nil), ("2024-02-29T12:30:15+2:00", nil),
        ] as [(String, Int64?)])
    func reads(_ text: String, _ seconds: Int64?) {
        #expect(Timestamp(internet: text)?.rawValue == seconds)
    }
}
