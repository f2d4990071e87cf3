import FundClient

/// All bytes of a content.
func collect(_ content: Content) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await piece in content.body { bytes += piece }
    return bytes
}
