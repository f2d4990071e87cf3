internal import Foundation
internal import Glibc

/// A folder in memory, of which any number of copies can be made: a store that takes long to fill and is changed by
/// each test. Nothing of it stays on the disk.
package struct FolderTemplate: Sendable {
    private struct Item: Sendable {
        var path: String
        var mode: mode_t
        /// Nil for a folder.
        var bytes: [UInt8]?
    }

    /// Megabytes of nothing, which a store makes again when it is opened.
    private static let leftOut: Set = ["reserve", "reserve.last"]

    private let items: [Item]

    package init(of folder: String) throws {
        let paths = try [""] + FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
        items = try paths.filter { !Self.leftOut.contains(($0 as NSString).lastPathComponent) }.map { path in
            var status = stat()
            guard lstat("\(folder)/\(path)", &status) == 0 else { throw ServerFailure("look at \(path): \(errno)") }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            guard isFolder || status.st_mode & S_IFMT == S_IFREG else { throw ServerFailure("\(path) is no file") }
            return Item(
                path: path, mode: status.st_mode & 0o777, bytes: isFolder ? nil : try TestFile.read("\(folder)/\(path)")
            )
        }
    }

    /// - Parameter folder: is made.
    package func copy(to folder: String) throws {
        for item in items {
            let path = "\(folder)/\(item.path)"
            if let bytes = item.bytes { try TestFile.write(bytes, to: path) } else { try TestFile.makeDirectory(path) }
            guard chmod(path, item.mode) == 0 else { throw ServerFailure("chmod \(path): \(errno)") }
        }
    }

    /// The contents that `fill` makes in a folder, which goes afterwards, and what it returns.
    /// - Parameter fill: makes the folder, and closes whatever it opens there.
    package static func filled<Made: Sendable>(
        by fill: (_ folder: String) async throws -> Made
    ) async throws -> (template: FolderTemplate, made: Made) {
        let folder = try TestFile.makeFolder("template")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // A store makes its own folder, which others cannot look into.
        let made = try await fill(folder + "/filled")
        return (try FolderTemplate(of: folder + "/filled"), made)
    }
}
