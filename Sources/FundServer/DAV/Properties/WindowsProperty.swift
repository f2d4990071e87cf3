internal import HTTPTypes
internal import FundCore

/// What Explorer sets after each upload (MS-WDVME §2.2.2): attributes and times. That of the last change is the file's own time; the
/// others are kept like any other dead property, as all of them are for folders, whose time the server keeps.
enum WindowsProperty {
    static let modifiedAt = MarkupName(namespace: "urn:schemas-microsoft-com:", local: "Win32LastModifiedTime")

    /// Seconds since 1970 of a value such as `Sun, 06 Nov 1994 08:49:37 GMT`; nil for what is none.
    static func seconds(_ element: MarkupElement) -> Int64? {
        DateText.seconds(String(element.text.drop(while: \.isWhitespace).prefix { !$0.isNewline }))
    }

    static func markup(_ seconds: Int64) -> String {
        "<Z:\(modifiedAt.local) xmlns:Z=\"\(modifiedAt.namespace)\">\(DateText.http(seconds))</Z:\(modifiedAt.local)>"
    }
}
