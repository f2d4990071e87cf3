internal import Crypto
internal import Foundation
internal import FundCore
internal import FundHTTP

/// Codes of authenticator apps: TOTP (RFC 6238) over HMAC-SHA-1, with six digits and steps of 30 seconds, the one form
/// that all apps know.
struct TimeCode: Sendable {
    /// Length that RFC 4226 §4 recommends.
    static let secretBytes = 20
    static let digits = 6
    static let stepSeconds: Int64 = 30
    /// Steps around the present one whose codes are taken: clocks differ, and typing takes time.
    private static let tolerance: Int64 = 1

    let secret: [UInt8]

    static func step(at time: Timestamp) -> Int64 { time.rawValue / stepSeconds }

    /// The code of a step (RFC 4226 §5.3).
    func code(ofStep step: Int64) -> String {
        let counter = withUnsafeBytes(of: step.bigEndian) { Data($0) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int((mac.last ?? 0) & 0x0F)
        let number = mac.dropFirst(offset).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: Self.digits - text.count) + text
    }

    /// The step whose code was typed at a time; nil for another code. The time it takes does not depend on the code.
    func step(of typed: String, at time: Timestamp) -> Int64? {
        let now = Self.step(at: time)
        return (now - Self.tolerance...now + Self.tolerance).reduce(nil) { found, step in
            SecureBytes.areEqual(code(ofStep: step).utf8, typed.utf8) ? step : found
        }
    }

    /// The digits of a typed code, which may hold blanks, and digits as Chinese keyboards write them; nil for what is
    /// no code.
    static func digits(_ typed: String) -> String? {
        guard typed.isShortWord else { return nil }
        let wide = Unicode.Scalar("０").value...Unicode.Scalar("９").value
        let text = typed.unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
            if scalar.properties.isWhitespace { return nil }
            guard wide.contains(scalar.value) else { return scalar }
            return Unicode.Scalar(UInt8(ascii: "0") + UInt8(scalar.value - wide.lowerBound))
        }
        guard text.count == digits, text.allSatisfy({ $0.isASCII && ASCII.isDigit(UInt8($0.value)) }) else {
            return nil
        }
        return String(String.UnicodeScalarView(text))
    }

    /// The secret as apps take it when it is typed: base 32 (RFC 4648 §6) in groups of four.
    var text: String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (text, buffer, bits) = ([UInt8](), 0, 0)
        for byte in secret {
            (buffer, bits) = (buffer << 8 | Int(byte), bits + 8)
            while bits >= 5 {
                bits -= 5
                text.append(letters[buffer >> bits & 31])
                buffer &= 1 << bits - 1
            }
        }
        if bits > 0 { text.append(letters[buffer << (5 - bits) & 31]) }
        return stride(from: 0, to: text.count, by: 4)
            .map { String(decoding: text[$0..<min($0 + 4, text.count)], as: UTF8.self) }.joined(separator: " ")
    }

    /// The address that apps read from a QR code (otpauth, as Google Authenticator defined it).
    func address(of user: User) -> String {
        let name = PercentCoding.encoded(user.email, keeping: PercentCoding.isUnreserved)
        return "otpauth://totp/Fundmail:\(name)?secret=\(text.replacing(" ", with: ""))&issuer=Fundmail"
    }
}

/// Encrypts secrets of authenticator apps for the database, and for the form that sets one up. Each opens for its own
/// user alone.
struct CodeAppSeal: Sendable {
    private let kept: ContextSeal
    private let offered: ContextSeal

    init(serverKey: [UInt8]) {
        kept = ContextSeal(serverKey: serverKey, purpose: "fundmail authenticator apps")
        offered = ContextSeal(serverKey: serverKey, purpose: "fundmail new authenticator apps")
    }

    func seal(_ code: TimeCode, of user: User.ID) throws -> [UInt8] {
        try kept.seal(code.secret, in: Self.context(user))
    }

    /// Nil when it was sealed under another key or for another user, or was changed.
    func open(_ sealed: [UInt8], of user: User.ID) -> TimeCode? {
        kept.open(sealed, in: Self.context(user)).map { TimeCode(secret: $0) }
    }

    /// Seals a secret that is not kept yet, for a hidden field of one session.
    func offer(_ code: TimeCode, in session: FactorSession) throws -> String {
        Base64.urlText(try offered.seal(code.secret, in: Self.context(session)))
    }

    func taken(_ text: String, in session: FactorSession) -> TimeCode? {
        guard text.utf8.count <= 128, let sealed = Base64.bytes(url: text) else { return nil }
        return offered.open(sealed, in: Self.context(session)).map { TimeCode(secret: $0) }
    }

    private static func context(_ user: User.ID) -> [UInt8] { Array("\(user)".utf8) }

    private static func context(_ session: FactorSession) -> [UInt8] { Array("\(session.user) \(session.token)".utf8) }
}
