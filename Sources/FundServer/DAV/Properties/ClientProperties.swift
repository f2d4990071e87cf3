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

/// The properties that Explorer sets after each upload (MS-WDVME §2.2.2): attributes and times. For files, the time of
/// the last change is the file's own time; the others are dead properties, and so are all for folders, whose times the
/// server sets.
enum WindowsProperty {
    static let modifiedAt = MarkupName(namespace: "urn:schemas-microsoft-com:", local: "Win32LastModifiedTime")

    /// Time in a value such as `Sun, 06 Nov 1994 08:49:37 GMT`; nil for other text.
    static func time(_ element: MarkupElement) -> Timestamp? {
        DateText.time(String(element.text.drop(while: \.isWhitespace).prefix { !$0.isNewline }))
    }

    static func markup(_ time: Timestamp) -> String {
        "<Z:\(modifiedAt.local) xmlns:Z=\"\(modifiedAt.namespace)\">\(DateText.http(time))</Z:\(modifiedAt.local)>"
    }
}
