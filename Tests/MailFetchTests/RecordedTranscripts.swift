import Foundation

enum RecordedTranscripts {
    private static let root: String = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.deletingLastPathComponent().appending(path: "shared/corpora/transcripts").path
    }()

    static var exist: Bool { FileManager.default.fileExists(atPath: root) }

    /// Below `folder`, relative to the root, sorted. The recordings of whole messages without an answer around them are
    /// left out.
    static func paths(_ folder: String, where isWanted: (String) -> Bool = { _ in true }) -> [String] {
        let names = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".txt") }.map { "\(folder)/\($0)" }.filter(isWanted).sorted()
    }

    /// With CRLF, as on the wire; the recordings were stored with LF, their literals' lengths were not touched.
    static func bytes(_ path: String) throws -> [UInt8] {
        let stored = Array(try Data(contentsOf: URL(filePath: "\(root)/\(path)")))
        return stored.contains(13) ? stored : stored.flatMap { $0 == 10 ? [13, 10] : [$0] }
    }
}
