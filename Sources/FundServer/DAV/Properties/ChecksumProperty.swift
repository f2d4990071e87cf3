internal import FundHTTP
internal import FundCore

/// `checksums` of ownCloud and Nextcloud: `SHA1:… MD5:…`, by which rclone compares files. Given only when asked for
/// by name, since it may require reading the files.
enum ChecksumProperty {
    static let name = MarkupName(namespace: "http://owncloud.org/ns", local: "checksums")

    static func markup(_ checksums: ContentChecksums) -> String {
        let sums = "SHA1:\(Hex.text(checksums.sha1)) MD5:\(Hex.text(checksums.md5))"
        return "<oc:checksums xmlns:oc=\"\(name.namespace)\"><oc:checksum>\(sums)</oc:checksum></oc:checksums>"
    }

    /// Whether all checksums in the element are right.
    static func holds(_ element: MarkupElement, _ checksums: ContentChecksums) -> Bool {
        let words = element.elements.flatMap { $0.text.lowercased().split(whereSeparator: \.isWhitespace) }
        let known: Set<Substring> = ["sha1:\(Hex.text(checksums.sha1))"[...], "md5:\(Hex.text(checksums.md5))"[...]]
        return !words.isEmpty && words.allSatisfy(known.contains)
    }
}
