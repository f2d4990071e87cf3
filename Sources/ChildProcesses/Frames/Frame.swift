/// Frames between this process and a child: `u32 count of the bytes that follow, u8 kind, body`. Integers are
/// little-endian. `string` is a u32 count of bytes and that many bytes of UTF-8; `optional x` is a u8, 0 or 1, and x
/// when it is 1; `list x` is a u32 count and that many x.
package enum Frame {
    package static let lengthBytes = 4
    /// Limit of a text that has no limit of its own, in bytes.
    package static let maxStringBytes = 1 << 20
    /// Limit of a list that has no limit of its own: addresses of a header of 256 KiB.
    package static let maxListCount = 256 << 10
}

/// A frame that does not keep to its protocol.
package struct FrameError: Error, Hashable {
    /// The fault, as a noun phrase: `a list of 70000`.
    package var what: String

    package init(what: String) { self.what = what }
}
