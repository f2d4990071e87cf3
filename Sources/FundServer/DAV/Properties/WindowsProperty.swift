internal import HTTPTypes
internal import FundCore

/// The properties that Explorer sets after each upload (MS-WDVME §2.2.2): attributes and times. For files, the time of
/// the last change is the file's own time; the others are dead properties, and so are all for folders, whose times the
/// server sets.
enum WindowsProperty {
    static let modifiedAt = MarkupName(namespace: "urn:schemas-microsoft-com:", local: "Win32LastModifiedTime")

    /// Seconds since 1970 of a value such as `Sun, 06 Nov 1994 08:49:37 GMT`; nil for other text.
    static func seconds(_ element: MarkupElement) -> Int64? {
        DateText.seconds(String(element.text.drop(while: \.isWhitespace).prefix { !$0.isNewline }))
    }

    static func markup(_ seconds: Int64) -> String {
        "<Z:\(modifiedAt.local) xmlns:Z=\"\(modifiedAt.namespace)\">\(DateText.http(seconds))</Z:\(modifiedAt.local)>"
    }
}
