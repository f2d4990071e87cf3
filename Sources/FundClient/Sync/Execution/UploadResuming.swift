/// Sends large files so that a cut line or a kill costs only what was under way.
struct UploadResuming {
    let session: Session
    let memory: UploadMemory?

    /// Goes on so often without any byte more on the server.
    private static let maxFailures = 5

    private static let backoff = Backoff(first: .seconds(1), most: .seconds(20))

    func upload(_ source: FileSource, to target: Upload.Target) async throws(ClientError) -> File {
        let name = "upload \(target) \(source.digest)"
        var address = try await knownAddress(name, of: source, to: target)
        if address == nil {
            address = try await session.beginUpload(
                to: target, contentType: "application/octet-stream", size: source.size, modifiedAt: source.modifiedAt)
            if let address { memory?.set(address, for: name) }
        }
        guard let address else { throw ClientError(.protocolViolation, "the server does not say where the upload is") }
        var (failures, reached) = (0, Int64(-1))
        while true {
            do {
                let standing = try await session.standing(ofUpload: address)
                if standing.offset > reached { (failures, reached) = (0, standing.offset) }
                let file = try await finish(address, from: standing, source)
                memory?.remove(name)
                return file
            } catch {
                failures += 1
                if source.isUnchanged, error.isWorthRetrying, failures <= Self.maxFailures {
                    try await pause(after: failures, error)
                    continue
                }
                // What another try does not mend is begun anew another time.
                if !source.isUnchanged || !error.isWorthRetrying {
                    memory?.remove(name)
                    try? await session.dropUpload(address)
                }
                throw error
            }
        }
    }

    private func finish(_ address: String, from standing: UploadStanding, _ source: FileSource)
        async throws(ClientError)
        -> File
    {
        if standing.isComplete { return try await session.result(ofUpload: address) }
        let offset = standing.offset
        return try await session.finishUpload(address, from: offset, size: source.size) { source.stream(from: offset) }
    }

    /// Nil when the server does not know it any more, or when its file has become another since.
    private func knownAddress(
        _ name: String, of source: FileSource, to target: Upload.Target
    ) async throws(ClientError) -> String? {
        guard let address = memory?.address(for: name) else { return nil }
        do {
            guard try await session.standing(ofUpload: address).isComplete else { return address }
            let file = try await session.result(ofUpload: address)
            if file.digest == source.digest, file.isResult(of: target) { return address }
            memory?.remove(name)
            return nil
        } catch {
            guard error.code == .notFound else { throw error }
            memory?.remove(name)
            return nil
        }
    }

    private func pause(after failures: Int, _ error: ClientError) async throws(ClientError) {
        let delay = Self.backoff.delay(after: failures, asked: error.retryAfter)
        do { try await Task.sleep(for: delay) } catch { throw ClientError(.cancelled, "cancelled") }
    }
}

extension File {
    /// Whether it is what an upload was to make.
    fileprivate func isResult(of target: Upload.Target) -> Bool {
        if deletedAt != nil { return false }
        switch target {
        case .new(let name, let fund, let folder, _):
            return SyncName.key(self.name) == SyncName.key(name) && self.fund == fund && self.folder == folder
        case .content(let id, _): return self.id == id
        }
    }
}

/// The addresses of uploads that are under way. What cannot be kept is begun anew.
struct UploadMemory: Sendable {
    private let state: SyncState

    init(_ state: SyncState) { self.state = state }

    func address(for name: String) -> String? { (try? state.setting(name)) ?? nil }

    func set(_ address: String, for name: String) { try? state.set(name, to: address) }

    func remove(_ name: String) { try? state.removeSetting(name) }
}
