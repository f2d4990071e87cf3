/// Names an upload that can be resumed: 128 random bits, so that no user finds another's.
package struct UploadKey: Sendable, Hashable, CustomStringConvertible {
    private static let byteCount = 16

    /// 32 hexadecimal digits in lower case.
    package let text: String

    /// Nil for anything but 32 hexadecimal digits in lower case.
    package init?(_ text: String) {
        guard text.utf8.count == 2 * Self.byteCount, let bytes = Hex.bytes(text.utf8), Hex.text(bytes) == text else {
            return nil
        }
        self.text = text
    }

    private init(random: Void) {
        text = Hex.text((0..<Self.byteCount).map { _ in UInt8.random(in: 0...255) })
    }

    /// The key of a new upload.
    package static func random() -> UploadKey { UploadKey(random: ()) }

    package var description: String { text }
}
