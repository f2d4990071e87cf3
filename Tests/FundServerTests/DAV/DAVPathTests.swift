import FundCore
import TestSupport
import HTTPTypes
import Testing

@testable import FundHTTP
@testable import FundServer

struct DAVPathTests {
    private static let read: [(path: String, names: [String])] = [
        ("/dav", []), ("/dav/", []), ("/dav/Fund1", ["Fund1"]), ("/dav/Fund1/", ["Fund1"]),
        ("/dav/a%20b/c%2Bd", ["a b", "c+d"]), ("/dav/%E6%96%87", ["文"]), ("/dav/%252e%252e", ["%2e%2e"]),
        ("/dav/a%5Cb", ["a\\b"]), ("/dav/...", ["..."]), ("/dav/a:b@c;d=e&f", ["a:b@c;d=e&f"]), ("/dav/%3F%23", ["?#"]),
    ]

    @Test(arguments: read)
    func reads(_ example: (path: String, names: [String])) throws {
        #expect(try DAVPath(encoded: example.path).names == example.names)
    }

    private static let refused: [(path: String, code: Int)] = [
        ("/", 403), ("/davx/a", 403), ("/DAV/a", 403), ("/api/v1", 403), ("", 403), ("dav/", 403),
        ("/dav/..", 400), ("/dav/../etc", 400), ("/dav/%2e%2e/x", 400), ("/dav/.%2E", 400), ("/dav/.", 400),
        ("/dav/a/./b", 400), ("/dav//a", 400), ("/dav/a//", 400), ("/dav/a%2Fb", 400), ("/dav/a%2fb", 400),
        ("/dav/%00", 400), ("/dav/a%00b", 400), ("/dav/a%0Ab", 400), ("/dav/%7F", 400), ("/dav/a\\b", 400),
        ("/dav/%", 400),
        ("/dav/%4", 400), ("/dav/%zz", 400), ("/dav/%FF", 400), ("/dav/%C0%AE", 400), ("/dav/é", 400),
        ("/dav/a b", 400),
        ("/dav/a#b", 400), ("/dav/" + String(repeating: "a/", count: 101), 400),
    ]

    @Test(arguments: refused)
    func refuses(_ example: (path: String, code: Int)) {
        #expect(code { _ = try DAVPath(encoded: example.path) } == example.code)
    }

    @Test(arguments: ["a b", "文件.pdf", "50%", "%2e%2e", "a+b&c", "\"<x>'", "é", "e\u{301}", "😀", "~._-", "?#"])
    func writesWhatItReads(_ name: String) throws {
        let href = DAVPath(names: ["Fund1", name]).href(isCollection: false)
        let names = try DAVPath(encoded: href).names
        #expect(names.map { Array($0.unicodeScalars) } == ["Fund1", name].map { Array($0.unicodeScalars) })
        #expect(!href.utf8.contains { "<>&\"' ".utf8.contains($0) })
    }

    private static let references: [(reference: String, code: Int)] = [
        ("http://Files.Example:8080/dav/a", 0), ("https://files.example:8080/dav/a", 0), ("/dav/a", 0),
        ("http://other.example/dav/a", 0), ("http://other.example:80/dav/a", 0), ("https://other.example:443/dav/a", 0),
        ("http://other.example:443/dav/a", 502), ("http://evil.example/dav/a", 502),
        ("//files.example:8080/dav/a", 403),
        ("ftp://files.example:8080/dav/a", 502), ("http://files.example/dav/a", 502),
        ("http://u:p@files.example:8080/dav/a", 0), ("http://a%40b@FILES.example:08080/dav/a", 0),
        ("https://other.EXAMPLE:443/dav/a", 0), ("http://other.example:80/dav/a", 0),
        ("http://other.example:/dav/a", 0),
        ("http://other.example:443/dav/a", 502), ("http://files.example/dav/a", 502),
        ("http://files.example:8080x/dav/a", 502), ("http://files.example:8080@evil.example/dav/a", 502),
        ("http://files.example:8080", 403), ("http://files.example:8080/etc", 403), ("http:/dav/a", 502),
        ("dav/a", 400),
        ("http://files.example:8080/dav/../x", 400), ("http://files.example:8080/dav/%2e%2e/x", 400),
        ("http://files.example:8080/dav/a%00", 400), ("http://files.example:8080/dav\\a", 400),
        ("http://files.example:8080/dav/a?b", 400), ("http://files.example:8080/dav/a#b", 400), ("", 400),
        ("http://files.example:8080\\@evil.example/dav/a", 502),
    ]

    @Test(arguments: references)
    func readsDestinations(_ example: (reference: String, code: Int)) {
        let destination = DAVDestination(authorities: ["files.example:8080", "other.example"])
        #expect(code { _ = try destination.path(of: example.reference) } == example.code)
    }

    /// 0 when nothing is thrown.
    private func code(_ body: () throws -> Void) -> Int {
        do {
            try body()
            return 0
        } catch let failure as DAVError {
            return failure.status.code
        } catch {
            return -1
        }
    }

    private static let dates: [(seconds: Int64, http: String, internet: String)] = [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT", "1969-12-31T23:59:59Z"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00Z"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT", "2100-03-01T00:00:00Z"),
        (.max, "Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z"),
        (.min, "Mon, 01 Jan 0001 00:00:00 GMT", "0001-01-01T00:00:00Z"),
    ]

    @Test(arguments: dates)
    func writesDates(_ example: (seconds: Int64, http: String, internet: String)) {
        #expect(DateText.http(Timestamp(example.seconds)) == example.http)
        #expect(DateText.internet(Timestamp(example.seconds)) == example.internet)
    }

    private static let numbers: [(text: String, seconds: Int64?)] = [
        ("0", 0), ("1562241600", 1_562_241_600), ("1562241600.75", 1_562_241_600), ("1562241600.", 1_562_241_600),
        ("-1", -1), ("-1.0", -1), ("-0.5", -1), ("-2145916800.25", -2_145_916_801), ("9223372036", 9_223_372_036),
        ("253402300800", 253_402_300_799), ("9223372036854775807", 253_402_300_799),
        ("99999999999999999999", 253_402_300_799), ("-9223372036854775808", -62_135_596_800),
        ("-99999999999999999999.9", -62_135_596_800), ("", nil), ("-", nil), (".5", nil), ("soon", nil), ("1e9", nil),
        ("1.5.2", nil), ("--1", nil), ("+1", nil), (" 1", nil), ("1,5", nil), ("٣", nil),
        (String(repeating: "9", count: 65), nil),
    ]

    /// Times as clients send them: `X-OC-Mtime`, `lastmodified`, `modified_at`.
    @Test(arguments: numbers)
    func readsNumbersOfSeconds(_ example: (text: String, seconds: Int64?)) {
        #expect(DateText.time(since1970: example.text)?.rawValue == example.seconds)
    }
}
