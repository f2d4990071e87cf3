internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension FileReading {
    /// Refuses an upload to a fund of a user before its bytes come, where its announced length does not fit. What is
    /// not announced is refused when it has come: the store asks in its transaction. Throws `overQuota`.
    func requireRoom(for request: Request, of user: User.ID) async throws {
        guard let length = request.headers[.contentLength].flatMap({ Int64($0) }), length > Self.unaskedBytes else {
            return
        }
        guard let left = try await storageUse(of: user).left, left < length else { return }
        throw StoreError(.overQuota, "take an upload", "it takes \(length) bytes, and there is room for \(left)")
    }

    /// Bytes that come faster than it is asked whether they fit.
    private static var unaskedBytes: Int64 { 1 << 20 }
}
