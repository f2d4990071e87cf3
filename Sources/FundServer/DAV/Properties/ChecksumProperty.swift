internal import HTTPTypes
internal import FundCore

/// `checksums` of ownCloud and Nextcloud: `SHA1:… MD5:…`, by which rclone compares files. Given only when asked for
/// by name, since it may require reading the files.
enum ChecksumProperty {
    static let name = MarkupName(namespace: "http://owncloud.org/ns", local: "checksums")

    static func markup(_ checksums: ContentChecksums) -> String {
        "<oc:checksums xmlns:oc=\"\(name.namespace)\"><oc:checksum>SHA1:\(hex(checksums.sha1)) MD5:\(hex(checksums.md5))"
            + "</oc:checksum></oc:checksums>"
    }

    /// Whether all checksums in the element are right.
    static func holds(_ element: MarkupElement, _ checksums: ContentChecksums) -> Bool {
        let words = element.elements.flatMap { $0.text.lowercased().split(whereSeparator: \.isWhitespace) }
        let known: Set<Substring> = ["sha1:\(hex(checksums.sha1))"[...], "md5:\(hex(checksums.md5))"[...]]
        return !words.isEmpty && words.allSatisfy(known.contains)
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension WebDAV {
    /// Adds the checksums of files to their dead properties.
    func addChecksums(of items: [LibraryItem], to properties: inout [LibraryItemID: [String: String]]) async throws {
        let files = items.compactMap { item in if case .file(let file) = item { file } else { nil } }
        let known = try await checksums.checksums(of: files)
        for file in files {
            guard let checksums = known[file.digest] else { continue }
            properties[.file(file.id), default: [:]][ChecksumProperty.name.key] = ChecksumProperty.markup(checksums)
        }
    }
}
