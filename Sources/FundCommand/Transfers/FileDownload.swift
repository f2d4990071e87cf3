import Foundation
import FundClient
import Terminal

/// A file, an attachment or a message that is to be loaded into a file of this machine.
struct FileDownload: CommandTransfer {
    var source: ContentSource
    /// For people.
    var name: String
    var size: Int64
    var digest: Digest?
    /// Time of the file's last change.
    var date: Date?
    /// Where the file is to lie.
    var path: String
    var replaces: Bool

    var from: String { name }
    var to: String { path }

    var work: Transfer.Work {
        .download(
            Download(
                source, name: (path as NSString).lastPathComponent, digest: digest, size: digest == nil ? nil : size,
                to: LocalDigest.absolute(path), ifTaken: replaces ? .replace : .refuse, modifiedAt: date))
    }

    func whatIsThere() throws(CommandError) -> Digest? {
        guard LocalDigest.isTaken(path) else { return nil }
        if let digest, LocalDigest.size(of: path) == size, LocalDigest.digest(of: path) == digest { return digest }
        guard replaces else { throw taken }
        return nil
    }

    func settle(_ failure: ClientError, _ session: Session) async throws(CommandError) -> Digest {
        if failure.code == .conflict, !replaces {
            // Another command may have loaded the same meanwhile.
            guard let digest, LocalDigest.digest(of: path) == digest else { throw taken }
            return digest
        }
        let error = CommandError(failure)
        throw error.message.contains(path) ? error : error.about(name)
    }

    private var taken: CommandError {
        CommandError(.refused, "\(path) is there already; --replace would overwrite it.")
    }
}
