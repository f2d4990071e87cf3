internal import FundClient
internal import Glibc

/// What a file of this machine holds.
enum LocalDigest {
    private static let pieceBytes = 1024 * 1024

    /// In bytes; nil when it is not there.
    static func size(of path: String) -> Int64? {
        var state = stat()
        return stat(path, &state) == 0 ? Int64(state.st_size) : nil
    }

    /// Nil when it cannot be read.
    static func digest(of path: String) -> Digest? {
        let reader = FileReader(path)
        var builder = DigestBuilder()
        do {
            while let piece = try reader.next(pieceBytes) { builder.add(piece) }
        } catch {
            return nil
        }
        return builder.digest
    }
}
