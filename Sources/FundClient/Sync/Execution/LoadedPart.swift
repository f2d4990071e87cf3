internal import Dispatch

/// A file of the server that is here completely, and has no name yet in the kept folder.
struct LoadedPart: Sendable {
    var entity: SyncEntity.ID
    var path: String
    /// Names of its place in the kept folder.
    var names: [String]
    /// Fingerprint of the file that lies there now.
    var replaced: Fingerprint?

    /// Gives each its name. A loss of power afterwards takes neither the bytes nor the names: the bytes of all are on
    /// the disk before the first gets its name, and all names before this returns. To wait for the disk once for each
    /// file would take longer than to load most of them.
    static func place(
        _ parts: [LoadedPart], in folder: LocalFolder, day: String
    ) async -> [(part: LoadedPart, result: Result<Fingerprint, any Error>)] {
        let flushed = await Disk.flush(parts.map(\.path))
        var results: [(part: LoadedPart, result: Result<Fingerprint, any Error>)] = []
        for (part, failure) in zip(parts, flushed) {
            if let failure {
                results.append((part, .failure(SyncLocalError(failure))))
                continue
            }
            results.append((part, Result { try part.place(in: folder, day: day) }))
        }
        let places = Array(Set(parts.map { folder.path($0.names.dropLast()) }))
        let failures = zip(places, await Disk.flush(places)).compactMap { place, failure in
            failure.map { (place, $0) }
        }
        if failures.isEmpty { return results }
        let failed = Dictionary(failures, uniquingKeysWith: { first, _ in first })
        return results.map { part, result in
            guard case .success = result, let failure = failed[folder.path(part.names.dropLast())] else {
                return (part, result)
            }
            return (part, .failure(SyncLocalError(failure)))
        }
    }

    private func place(in folder: LocalFolder, day: String) throws -> Fingerprint {
        if let replaced { return try folder.place(path, insteadOf: names, replaced, day: day) }
        return try folder.place(path, at: names)
    }
}

/// Waits for the disk on threads of its own.
private enum Disk {
    /// Queues for several files at once: file systems write in one go what several wait for.
    private static let lanes = (0..<8).map { DispatchQueue(label: "FundClient.disk.\($0)") }

    /// Flushes files and folders. Gives for each why that failed.
    static func flush(_ paths: [String]) async -> [ClientError?] {
        await withTaskGroup(of: (Int, ClientError?).self) { group in
            for (index, path) in paths.enumerated() {
                let lane = lanes[index % lanes.count]
                group.addTask {
                    await withCheckedContinuation { done in
                        lane.async {
                            do throws(ClientError) {
                                try LocalFiles.flush(path)
                                done.resume(returning: (index, nil))
                            } catch { done.resume(returning: (index, error)) }
                        }
                    }
                }
            }
            return await group.reduce(into: [ClientError?](repeating: nil, count: paths.count)) {
                $0[$1.0] = $1.1
            }
        }
    }
}
