import Foundation
import FundClient
import Terminal

/// A file of this machine that is to be sent.
struct FileUpload: CommandTransfer {
    /// Path of the file on this machine.
    var path: String
    var size: Int64
    var name: String
    var place: Place
    /// Fund of the target.
    var fund: FundID
    /// Where it goes, for people.
    var target: RemotePath
    var replaces: Bool
    /// The file that has the name at the target already, as far as that is known.
    var there: File?

    var from: String { path }
    var to: String { "\(target)" }

    var work: Transfer.Work {
        var folder: FolderID?
        if case .folder(let id) = place { folder = id }
        let target = Upload.Target.new(
            name: name, fund: fund, folder: folder, ifTaken: replaces ? .replace : .refuse)
        return .upload(Upload(LocalDigest.absolute(path), to: target))
    }

    func whatIsThere() throws(CommandError) -> Digest? {
        guard let there else { return nil }
        if there.size == size {
            // A file that cannot be read fails when it is sent, and says why.
            guard let digest = LocalDigest.digest(of: path) else { return nil }
            if digest == there.digest { return digest }
        }
        guard replaces else { throw taken }
        return nil
    }

    /// The server refuses a name that is taken; when that has the same bytes, all is well.
    func settle(_ failure: ClientError, _ session: Session) async throws(CommandError) -> Digest {
        guard failure.code == .conflict else { throw CommandError(failure).about(to) }
        do {
            if case .file(let file) = try await session.item(named: name, in: place), file.size == size,
                LocalDigest.digest(of: path) == file.digest
            {
                return file.digest
            }
        } catch {
            throw CommandError(error).about(to)
        }
        throw taken
    }

    private var taken: CommandError {
        CommandError(.refused, "It is there already; --replace would overwrite it.").about(to)
    }
}
