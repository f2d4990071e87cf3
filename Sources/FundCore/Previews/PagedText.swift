/// A text of several pages as renditions have it: a form feed ends each page.
package enum PagedText {
    /// The bytes of each page; what stands behind the last form feed is one more.
    package static func pages(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\u{C}"), omittingEmptySubsequences: false)
    }
}
