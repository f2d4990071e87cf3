internal import Foundation
internal import FundClient

/// A file, an attachment or a message that is to be loaded into a file of this machine.
struct FileDownload: Sendable {
    var source: ContentSource
    /// For people.
    var name: String
    var size: Int64
    var digest: Digest?
    /// Nil for a message.
    var date: Date?
    /// Where the file is to lie.
    var path: String
    var replaces: Bool

    /// Attempts that bring nothing, one after the other.
    private static let maxFruitlessAttempts = 5

    /// Loads it, goes on where the connection is cut, and gives it its name when all bytes are those of the server.
    /// A file that is there with the same bytes stays as it is.
    func run(_ session: Session, _ progress: ProgressLine) async throws -> Digest {
        if let digest, LocalDigest.size(of: path) == size, LocalDigest.digest(of: path) == digest {
            progress.skipFile(bytes: size)
            return digest
        }
        let file = try LocalFile(at: path, replaces: replaces)
        var state = DownloadState(digest: digest)
        var fruitless = 0
        while true {
            let before = state.count
            do {
                try await load(into: file, &state, session, progress)
                break
            } catch let error as ClientError {
                fruitless = state.count > before ? 1 : fruitless + 1
                guard error.isWorthRetrying, let delay = RetryPolicy(maxAttempts: Self.maxFruitlessAttempts)
                    .delay(after: fruitless, error)
                else { throw error }
                try await Task.sleep(for: delay)
            }
        }
        let digest = state.builder.digest
        guard state.digest == nil || digest == state.digest else {
            throw ClientError(.damaged, "\(name) came with other bytes than the server promised")
        }
        try file.finish(date: date, replaces: replaces)
        progress.finishFile()
        return digest
    }

    private func load(
        into file: LocalFile, _ state: inout DownloadState, _ session: Session, _ progress: ProgressLine
    ) async throws {
        // All bytes were there when the connection was cut.
        if let size = state.size, state.count == size { return }
        let content = try await session.content(of: source, from: state.count, ifRange: state.digest)
        if content.offset == 0, state.count > 0 {
            progress.add(bytes: -state.count, of: name)
            try file.beginAnew()
            state = DownloadState(digest: nil)
        }
        state.digest = content.digest ?? state.digest
        state.size = content.totalSize ?? state.size
        for try await piece in content.body {
            try file.write(piece)
            state.builder.add(piece)
            state.count += Int64(piece.count)
            progress.add(bytes: Int64(piece.count), of: name)
        }
    }
}

/// How far a download is.
private struct DownloadState {
    /// Of all bytes, as the server says.
    var digest: Digest?
    var size: Int64?
    var count: Int64 = 0
    var builder = DigestBuilder()

    init(digest: Digest?) { self.digest = digest }
}
