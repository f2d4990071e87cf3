internal import Crypto
import FundCore

/// The detail of the address to which servers send reports about one attempt to send a letter of the outbox:
/// `b.ID.ATTEMPT.MAC`. A report is believed by it alone: without the store's key no program can make one.
struct BounceMark {
    private static let purpose = "fundmail bounces"
    private static let prefix = "b"
    /// Length of the code: short enough for a local part of 64 bytes, and beyond guessing.
    private static let macBytes = 10

    private let key: SymmetricKey

    /// - Parameter serverKey: the key of the store.
    init(serverKey: [UInt8]) {
        key = SymmetricKey(
            data: HMAC<SHA256>.authenticationCode(
                for: Array(Self.purpose.utf8), using: SymmetricKey(data: serverKey)))
    }

    func text(of attempt: OutboxAttempt) -> String {
        "\(Self.prefix).\(attempt.letter).\(attempt.number).\(mac(attempt))"
    }

    /// The attempt that a detail names; nil for a detail that this store did not make. Case does not matter, since
    /// servers change it.
    func attempt(_ text: String) -> OutboxAttempt? {
        let parts = text.utf8.split(separator: .dot, omittingEmptySubsequences: false)
        guard parts.count == 4, ASCII.lowercased(parts[0]) == Self.prefix,
            parts[1...2].allSatisfy({ $0.allSatisfy(ASCII.isDigit) }),
            let letter = Int64(String(decoding: parts[1], as: UTF8.self)),
            let number = Int(String(decoding: parts[2], as: UTF8.self))
        else { return nil }
        let attempt = OutboxAttempt(letter: OutboxLetter.ID(letter), number: number)
        return self.text(of: attempt) == ASCII.lowercased(text.utf8) ? attempt : nil
    }

    /// The attempt of which an address is the return path, whatever separates the mark from our local part.
    func attempt(ofAddress address: String) -> OutboxAttempt? {
        guard let local = EmailAddress(address)?.localPart else { return nil }
        let parts = local.utf8.split(separator: .dot, omittingEmptySubsequences: false).suffix(4)
        guard parts.count == 4, let first = parts.first, first.last == UInt8(ascii: "b") else { return nil }
        let rest = parts.dropFirst().map { String(decoding: $0, as: UTF8.self) }
        return attempt(([Self.prefix] + rest).joined(separator: "."))
    }

    private func mac(_ attempt: OutboxAttempt) -> String {
        let text = "\(attempt.letter).\(attempt.number)"
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
        return Hex.text(Array(code).prefix(Self.macBytes))
    }
}
