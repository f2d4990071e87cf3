package import Ingest

/// Text and what was wrong with it.
package struct DecodedText: Sendable, Hashable {
    package var text: String
    package var defects: Set<Defect>

    package init(_ text: String, _ defects: Set<Defect> = []) {
        self.text = text
        self.defects = defects
    }
}

/// Turns bytes in a charset of the allow-list into text. Owns iconv descriptors, so it is made once for each child and
/// used by one thread.
package final class CharsetDecoder {
    package init() {}

    /// `charset` as declared (any case, any alias), nil when none was.
    package func decode(_ bytes: [UInt8], charset: String?) -> DecodedText {
        DecodedText(String(decoding: bytes, as: UTF8.self))
    }
}
