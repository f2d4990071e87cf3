internal import Foundation
internal import FundClient
internal import Glibc
internal import Synchronization

/// A file of this machine that is to be sent.
struct FileUpload: Sendable {
    private static let pieceBytes = 256 * 1024

    /// Of the file on this machine.
    var path: String
    var size: Int64
    var name: String
    var place: Place
    var replaces: Bool

    func run(_ session: Session, _ progress: ProgressLine) async throws -> File {
        let (path, name, size) = (path, name, size)
        let sent = Counter()
        let body = RequestBody.stream(length: size) {
            let reader = FileReader(path)
            // Another attempt begins anew.
            progress.add(bytes: -sent.take(), of: name)
            return AsyncThrowingStream {
                guard let piece = try reader.next(Self.pieceBytes) else { return nil }
                sent.add(Int64(piece.count))
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
                if let file = try await same(session) {
                    progress.add(bytes: -sent.take(), of: name)
                    progress.skipFile(bytes: size)
                    return file
                }
                throw CommandError(.refused, "It is there already; --replace would overwrite it.")
            }
            guard LocalDigest.size(of: path) == size else {
                throw CommandError(.tryLater, "It was changed while it was sent; run the same command again.")
            }
            throw error
        }
    }

    /// What has the name on the server, if it has the same bytes.
    private func same(_ session: Session) async throws -> File? {
        guard case .file(let file) = try await session.item(named: name, in: place), file.size == size,
            LocalDigest.digest(of: path) == file.digest
        else { return nil }
        return file
    }
}

/// Bytes that were sent.
private final class Counter: Sendable {
    private let count = Mutex<Int64>(0)

    func add(_ more: Int64) { count.withLock { $0 += more } }

    /// Begins to count anew.
    func take() -> Int64 {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}

/// Reads a file from its beginning. Opens it with the first piece.
///
/// `@unchecked Sendable`: one request reads it, piece after piece.
final class FileReader: @unchecked Sendable {
    private let path: String
    private var descriptor: Int32 = -1

    init(_ path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Nil at the end.
    func next(_ maxBytes: Int) throws -> [UInt8]? {
        if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw failure() }
        var result = 0
        let piece = [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
            repeat { result = read(descriptor, buffer.baseAddress, maxBytes) } while result < 0 && errno == EINTR
            count = max(0, result)
        }
        guard result >= 0 else { throw failure() }
        return piece.isEmpty ? nil : piece
    }

    private func failure() -> CommandError {
        CommandError(.cannotCreate, "\(path) cannot be read: \(String(cString: strerror(errno))).")
    }
}
