import TestSupport
import Testing

@testable import FundHTTP

struct ByteRangeTests {
    private static let cases: [(field: String, size: Int64, expected: ByteRange)] = [
        ("bytes=0-0", 10, .part(0..<1)),
        ("bytes=0-", 10, .part(0..<10)),
        ("bytes=9-", 10, .part(9..<10)),
        ("bytes=2-5", 10, .part(2..<6)),
        ("Bytes = 2 - 5", 10, .part(2..<6)),
        ("bytes=5-500", 10, .part(5..<10)),
        ("bytes=0-9223372036854775807", 10, .part(0..<10)),
        ("bytes=0-99999999999999999999999", 10, .part(0..<10)),
        ("bytes=-5", 10, .part(5..<10)),
        ("bytes=-500", 10, .part(0..<10)),
        ("bytes=-99999999999999999999999", 10, .part(0..<10)),
        ("bytes=-0", 10, .unsatisfiable),
        ("bytes=-1", 0, .unsatisfiable),
        ("bytes=0-", 0, .unsatisfiable),
        ("bytes=10-", 10, .unsatisfiable),
        ("bytes=99999999999999999999999-", 10, .unsatisfiable),
        ("bytes=5-1", 10, .unsatisfiable),
        ("bytes=0-1,3-4", 10, .whole),
        ("bytes=-", 10, .whole),
        ("bytes=", 10, .whole),
        ("bytes", 10, .whole),
        ("", 10, .whole),
        ("items=0-1", 10, .whole),
        ("bytes=a-b", 10, .whole),
        ("bytes=1-2-3", 10, .whole),
        ("bytes=--1", 10, .whole),
        ("bytes=+1-2", 10, .whole),
        ("bytes=0x1-2", 10, .whole),
    ]

    @Test(arguments: cases)
    func readsAField(_ example: (field: String, size: Int64, expected: ByteRange)) {
        #expect(ByteRange(example.field, size: example.size) == example.expected)
    }
}
