import FundCore

/// A raw message of the store, to be parsed again.
struct KeptBytes: Sendable {
    var digest: ContentDigest
    var size: Int64

    /// Reads the message. Throws `corrupted` when it is not what it was.
    func spool(from log: StoreLog) throws -> SpooledMessage {
        let operation = "read a raw message"
        return try StoreError.wrapping(operation) {
            let content = try log.content(of: digest, size: size)
            var writer = log.spool.makeWriter()
            try content.read(0..<size) { try writer.append($0) }
            let spooled = writer.finish()
            guard spooled.digest == digest else {
                throw StoreError(.corrupted, operation, "its bytes have changed; see `fundmail verify`")
            }
            return spooled
        }
    }
}
