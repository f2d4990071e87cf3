/// The cost of one scrypt hash (RFC 7914 §2). It takes 128 · 2^logRounds · blockSize · parallelism bytes of memory.
package struct ScryptParameters: Sendable, Hashable {
    package static let standard = ScryptParameters(logRounds: 17, blockSize: 8, parallelism: 1)
    /// Upper bound, so that a row of the database cannot ask for more memory.
    static let maxBytes = 1 << 30

    package var logRounds: Int
    package var blockSize: Int
    package var parallelism: Int

    package init(logRounds: Int, blockSize: Int, parallelism: Int) {
        self.logRounds = logRounds
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    var isSane: Bool {
        (1...24).contains(logRounds) && (1...64).contains(blockSize) && (1...16).contains(parallelism)
            && 128 * (1 << logRounds) * blockSize * parallelism <= Self.maxBytes
    }

    func isWeaker(than other: ScryptParameters) -> Bool {
        logRounds < other.logRounds || blockSize < other.blockSize || parallelism < other.parallelism
    }
}
