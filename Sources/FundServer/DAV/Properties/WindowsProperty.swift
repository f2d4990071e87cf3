internal import FundHTTP
internal import FundCore

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
