import FundCore

extension SpooledMessage {
    /// All of them; for small messages.
    func bytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try content.read { bytes += $0 }
        return bytes
    }
}
