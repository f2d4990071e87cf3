internal import FundHTTP
internal import FundCore
internal import Hummingbird

extension UserCall {
    /// Releases the content of the path parameter `sha256`. Throws 404 when it is not in quarantine.
    func releaseContent() async throws {
        guard let digest = context.parameters.get("sha256").flatMap(ContentDigest.init(hex:)) else {
            throw RequestError.notFound
        }
        try await parts.store.quarantine.release(digest, actor: try user.email)
    }

    /// Which of these kept messages are held back because they carry malware.
    func heldBack(_ records: [MisrouteRecord]) async throws -> Set<MisrouteRecord.ID> {
        guard try await parts.store.quarantine.quarantineCount() > 0 else { return [] }
        return try await BlockingThreads.run { [library] in
            // A message that cannot be read is no reason to have no list.
            Set(
                records.filter { (try? library.quarantineReason(of: $0.digest, size: $0.size)) != nil }
                    .map(\.id))
        }
    }

    /// Throws 403 `quarantined` for a kept message that carries malware: nothing of it is shown or given.
    func checkQuarantine(ofKept id: MisrouteRecord.ID) async throws {
        let record = try await administration.misroute(id)
        try await BlockingThreads.run { [library] in
            _ = try library.content(of: record.digest, size: record.size)
        }
    }
}
