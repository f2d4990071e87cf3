internal import Crypto
internal import CryptoExtras
internal import FundCore

/// A stored password: scrypt (RFC 7914) with its parameters, as text of the PHC string format:
/// `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`, both in base64 without padding.
struct PasswordHash: Sendable, Hashable {
    private static let saltBytes = 16
    private static let hashBytes = 32

    let parameters: ScryptParameters
    private let salt: [UInt8]
    private let hash: [UInt8]
}

extension PasswordHash {
    /// Blocks, for the time and memory that the parameters say.
    init(of password: Password, parameters: ScryptParameters) throws {
        let salt = RandomBytes.make(Self.saltBytes)
        self.init(
            parameters: parameters, salt: salt, hash: try Self.derive(password, salt: salt, parameters: parameters))
    }

    /// Nil for text that `text` did not write, or that asks for more memory than `ScryptParameters.maxBytes`.
    init?(_ text: String) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0].isEmpty, fields[1] == "scrypt" else { return nil }
        let settings = fields[2].split(separator: ",", omittingEmptySubsequences: false)
        guard settings.count == 3, let logRounds = Self.number(settings[0], after: "ln="),
            let blockSize = Self.number(settings[1], after: "r="),
            let parallelism = Self.number(settings[2], after: "p="),
            let salt = Base64.bytes(fields[3]), let hash = Base64.bytes(fields[4]),
            salt.count >= Self.saltBytes,
            hash.count == Self.hashBytes
        else { return nil }
        let parameters = ScryptParameters(logRounds: logRounds, blockSize: blockSize, parallelism: parallelism)
        guard parameters.isSane else { return nil }
        self.init(parameters: parameters, salt: salt, hash: hash)
    }

    /// Matches no password, and costs as much to check as one that does.
    static func unmatchable(_ parameters: ScryptParameters) -> PasswordHash {
        PasswordHash(parameters: parameters, salt: RandomBytes.make(saltBytes), hash: RandomBytes.make(hashBytes))
    }

    var text: String {
        let settings = "ln=\(parameters.logRounds),r=\(parameters.blockSize),p=\(parameters.parallelism)"
        return "$scrypt$\(settings)$\(Base64.text(salt))$\(Base64.text(hash))"
    }

    /// Compares in time that does not depend on where the hashes differ. Blocks.
    func matches(_ password: Password) throws -> Bool {
        let other = try Self.derive(password, salt: salt, parameters: parameters)
        return SecureBytes.areEqual(other, hash) && password.isPossible
    }

    private static func derive(_ password: Password, salt: [UInt8], parameters: ScryptParameters) throws -> [UInt8] {
        let key = try KDF.Scrypt.deriveKey(
            from: password.bytes, salt: salt, outputByteCount: hashBytes, rounds: 1 << parameters.logRounds,
            blockSize: parameters.blockSize, parallelism: parameters.parallelism)
        return key.withUnsafeBytes { Array($0) }
    }

    private static func number(_ text: Substring, after prefix: String) -> Int? {
        let digits = text.utf8.dropFirst(prefix.utf8.count)
        return text.hasPrefix(prefix) && digits.count <= 3 ? ASCII.number(Array(digits)[...]) : nil
    }
}

/// The cost of one scrypt hash (RFC 7914 §2). It takes 128 · 2^logRounds · blockSize · parallelism bytes of memory.
package struct ScryptParameters: Sendable, Hashable {
    package static let standard = ScryptParameters(logRounds: 17, blockSize: 8, parallelism: 1)
    /// Upper bound, so that a row of the database cannot ask for more memory.
    static let maxBytes = 1 << 30

    /// 1...24: its logarithm to base 2.
    package var logRounds: Int
    var blockSize: Int
    var parallelism: Int

    var isSane: Bool {
        (1...24).contains(logRounds) && (1...64).contains(blockSize) && (1...16).contains(parallelism)
            && 128 * (1 << logRounds) * blockSize * parallelism <= Self.maxBytes
    }

    func isWeaker(than other: ScryptParameters) -> Bool {
        logRounds < other.logRounds || blockSize < other.blockSize || parallelism < other.parallelism
    }
}
