import Foundation
import FundClient

/// Digests of files of this machine.
enum LocalDigest {
    private static let pieceBytes = 1024 * 1024

    /// In bytes; nil when it is not there.
    static func size(of path: String) -> Int64? {
        // A link stands for what it leads to.
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        return (attributes?[.size] as? NSNumber)?.int64Value
    }

    /// Something has the name, be it a link that leads nowhere.
    static func isTaken(_ path: String) -> Bool { (try? FileManager.default.attributesOfItem(atPath: path)) != nil }

    /// Nil when it cannot be read.
    static func digest(of path: String) -> Digest? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        var builder = DigestBuilder()
        do {
            while let piece = try file.read(upToCount: pieceBytes), !piece.isEmpty { builder.add(Array(piece)) }
        } catch {
            return nil
        }
        return builder.digest
    }

    /// From anywhere.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : (FileManager.default.currentDirectoryPath as NSString).appendingPathComponent(path)
    }
}
