internal import Foundation
internal import FundClient
internal import Glibc

/// A file of this machine that is to be sent.
struct Upload: Sendable {
    private static let pieceBytes = 256 * 1024

    /// Of the file on this machine.
    var path: String
    var size: Int64
    var name: String
    var place: Place
    var replaces: Bool

    func run(_ session: Session, _ progress: TransferProgress) async throws -> File {
        let (path, name, size) = (path, name, size)
        let body = RequestBody.stream(length: size) {
            let reader = FileReader(path)
            return AsyncThrowingStream {
                guard let piece = try reader.next(Self.pieceBytes) else { return nil }
                progress.add(bytes: Int64(piece.count), of: name)
                return piece
            }
        }
        do throws(ClientError) {
            let file = try await session.upload(
                size == 0 ? .none : body, named: name, to: place, ifTaken: replaces ? .replace : .refuse)
            progress.finishFile()
            return file
        } catch {
            if error.code == .conflict {
                throw CommandError(.refused, "It is there already; --replace would overwrite it.")
            }
            guard Self.size(of: path) == size else {
                throw CommandError(.tryLater, "It was changed while it was sent; run the same command again.")
            }
            throw error
        }
    }

    /// Nil when it is not there.
    static func size(of path: String) -> Int64? {
        var state = stat()
        return stat(path, &state) == 0 ? Int64(state.st_size) : nil
    }
}

/// Reads a file from its beginning. Opens it with the first piece.
///
/// `@unchecked Sendable`: one request reads it, piece after piece.
private final class FileReader: @unchecked Sendable {
    private let path: String
    private var descriptor: Int32 = -1

    init(_ path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Nil at the end.
    func next(_ maxBytes: Int) throws -> [UInt8]? {
        if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw failure() }
        let piece = [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, maxBytes))
        }
        return piece.isEmpty ? nil : piece
    }

    private func failure() -> CommandError {
        CommandError(.cannotCreate, "\(path) cannot be read: \(String(cString: strerror(errno))).")
    }
}
