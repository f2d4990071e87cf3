import FundCore
import TestSupport
import Testing

@testable import FundServer

struct TimeCodeTests {
    /// RFC 6238, appendix B: the last six of eight digits.
    @Test(
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)])
    func makesTheCodesOfTheStandard(_ time: Int64, _ code: String) {
        let app = TimeCode(secret: Array("12345678901234567890".utf8))
        #expect(app.code(ofStep: TimeCode.step(at: Timestamp(time))) == code)
    }

    /// The step before and the step after are taken, and none beyond.
    @Test
    func toleratesOneStep() {
        let app = TimeCode(secret: Array("12345678901234567890".utf8))
        let now = Timestamp(1_800_000_000)
        let step = TimeCode.step(at: now)
        for other in -3...3 as ClosedRange<Int64> {
            let found = app.step(of: app.code(ofStep: step + other), at: now)
            #expect(found == (abs(other) <= 1 ? step + other : nil), "\(other)")
        }
    }

    /// RFC 4648 §10, in groups of four.
    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW 6"), ("foob", "MZXW 6YQ"), ("fooba", "MZXW 6YTB"),
        ("foobar", "MZXW 6YTB OI"),
    ])
    func writesSecrets(_ secret: String, _ text: String) {
        #expect(TimeCode(secret: Array(secret.utf8)).text == text)
    }

    @Test(
        arguments: [
            ("123456", "123456"), (" 123 456 ", "123456"), ("１２３４５６", "123456"), ("12345", nil), ("1234567", nil),
            ("12345a", nil), ("", nil), ("१२३४५६", nil), (String(repeating: "1", count: 100), nil),
        ] as [(String, String?)])
    func readsDigits(_ typed: String, _ digits: String?) { #expect(TimeCode.digits(typed) == digits) }

    @Test
    func secretsOpenForTheirOwnUserAlone() throws {
        let seal = CodeAppSeal(serverKey: Array(repeating: 7, count: 32))
        let code = TimeCode(secret: [1, 2, 3])
        let sealed = try seal.seal(code, of: 1)
        #expect(seal.open(sealed, of: 1)?.secret == [1, 2, 3])
        #expect(seal.open(sealed, of: 2) == nil)
        #expect(CodeAppSeal(serverKey: Array(repeating: 8, count: 32)).open(sealed, of: 1) == nil)
        let session = FactorSession(user: 1, token: 5, now: 0)
        let offered = try seal.offer(code, in: session)
        #expect(seal.taken(offered, in: session)?.secret == [1, 2, 3])
        #expect(seal.taken(offered, in: FactorSession(user: 1, token: 6, now: 0)) == nil)
        #expect(seal.open(try #require(Base64.bytes(url: offered)), of: 1) == nil)
    }

    @Test
    func recoveryCodesAreReadAsPeopleTypeThem() throws {
        let codes = RecoveryCode.make()
        #expect(Set(codes).count == RecoveryCode.count)
        let code = try #require(codes.first)
        let digest = RecoveryCode.digest(code, of: 1)
        #expect(digest != nil && digest != RecoveryCode.digest(code, of: 2))
        for typed in [code.uppercased(), code.replacing("-", with: " "), code.replacing("-", with: "") + " "] {
            #expect(RecoveryCode.digest(typed, of: 1) == digest)
        }
        #expect(RecoveryCode.digest("0000-1111-0000-1111", of: 1) == RecoveryCode.digest("OOOO-iiLL-OOOO-1111", of: 1))
        for wrong in ["", "123456", code + "0", String(code.dropLast()), "ßßßß-ßßßß-ßßßß-ßßßß"] {
            #expect(RecoveryCode.digest(wrong, of: 1) == nil)
        }
    }
}
