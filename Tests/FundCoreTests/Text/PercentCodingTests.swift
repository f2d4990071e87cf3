import FundCore
import Testing

struct PercentCodingTests {
    @Test(arguments: [
        ("", "", ""), ("a%41b", "aAb", "aAb"), ("%2541", "%41", "%41"), ("%c3%BC", "ü", "ü"), ("a+b", "a+b", "a+b"),
        ("%", nil, "%"), ("%4", nil, "%4"), ("%4g", nil, "%4g"), ("%%41", nil, "%A"), ("%+1", nil, "%+1"),
    ])
    func decodes(_ text: String, _ strictly: String?, _ leniently: String) {
        #expect(PercentCoding.decoded(text.utf8) == strictly.map { Array($0.utf8) })
        #expect(PercentCoding.decodedLeniently(Array(text.utf8)[...]) == Array(leniently.utf8))
    }

    @Test(arguments: [("", ""), ("az09-._~", "az09-._~"), ("a b/ü%", "a%20b%2F%C3%BC%25"), ("\n", "%0A")])
    func encodes(_ text: String, _ encoded: String) {
        #expect(PercentCoding.encoded(text, keeping: PercentCoding.isUnreserved) == encoded)
        #expect(PercentCoding.decoded(encoded.utf8) == Array(text.utf8))
    }

    @Test func joinsFields() {
        #expect(PercentCoding.joined([("a", "x y"), ("b&", "=")]) == "a=x%20y&b%26=%3D")
        #expect(PercentCoding.joined([]).isEmpty)
    }
}
