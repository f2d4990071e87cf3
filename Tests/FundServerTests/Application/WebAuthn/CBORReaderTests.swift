import FundCore
import TestSupport
import Testing

@testable import FundServer

struct CBORReaderTests {
    private static func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.bytes(hex.utf8)) }

    /// Examples of RFC 8949, appendix A.
    @Test(arguments: [
        ("00", CBORValue.integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("1903e8", .integer(1000)),
        ("1a000f4240", .integer(1_000_000)), ("1b000000e8d4a51000", .integer(1_000_000_000_000)), ("20", .integer(-1)),
        ("3863", .integer(-100)), ("3903e7", .integer(-1000)), ("f4", .flag(false)), ("f5", .flag(true)), ("f6", .null),
        ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("62c3bc", .text("ü")),
        ("80", .list([])), ("83010203", .list([.integer(1), .integer(2), .integer(3)])), ("a0", .map([:])),
        ("a201020304", .map([.integer(1): .integer(2), .integer(3): .integer(4)])),
        ("a26161016162820203", .map([.text("a"): .integer(1), .text("b"): .list([.integer(2), .integer(3)])])),
    ])
    func readsWhatAuthenticatorsWrite(_ hex: String, _ value: CBORValue) throws {
        #expect(try CBORReader.value(of: Self.bytes(hex)) == value)
    }

    @Test(arguments: [
        "", "18", "1817", "190017", "1a0000ffff", "1b00000000ffffffff", "1bffffffffffffffff", "1c", "1f", "5f", "7f",
        "9f", "bf", "ff", "c0", "c249", "f0", "f7", "f820", "f90000", "fb3ff199999999999a", "41", "62c3", "62fffe",
        "9a00010000", "bb7fffffffffffffff", "a10102ff", "0000", "a2010201 03".replacing(" ", with: ""), "a1f501",
        "a18001", "8181818181 00".replacing(" ", with: ""),
    ])
    func refusesTheRest(_ hex: String) throws {
        let bytes = try Self.bytes(hex)
        #expect(throws: WebAuthnError.malformed) { try CBORReader.value(of: bytes) }
    }

    /// Marks that stand on one letter without end take quadratic time to compare.
    @Test
    func refusesLongRunsOfMarks() throws {
        let mark = "cd85"
        let (known, hostile) = (String(repeating: mark, count: 30), String(repeating: mark, count: 31))
        #expect(
            try CBORReader.value(of: Self.bytes("a1783c\(known)01"))["\(String(repeating: "\u{345}", count: 30))"]
                != nil)
        #expect(throws: WebAuthnError.malformed) { try CBORReader.value(of: Self.bytes("a1783e\(hostile)01")) }
    }

    /// Ten thousand changed attestation objects: each is refused, or means something, and nothing traps.
    @Test(arguments: SoftwareAuthenticator.Algorithm.allCases)
    func survivesAnything(_ algorithm: SoftwareAuthenticator.Algorithm) throws {
        let site = try #require(RelyingParty(url: "https://funds.corp.example"))
        let whole = SoftwareAuthenticator(algorithm, at: site).create([1, 2, 3]).attestation
        #expect(throws: Never.self) { try site.passkey(in: whole) }
        var random = SeededGenerator(seed: 42)
        var refused = 0
        for _ in 0..<10_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: at)
                case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
                default: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
                }
                if bytes.isEmpty { bytes = [0xA3] }
            }
            do { _ = try site.passkey(in: bytes) } catch { refused += 1 }
        }
        #expect(refused > 5_000)
    }
}
