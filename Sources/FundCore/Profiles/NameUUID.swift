internal import Crypto

/// A UUID that is made of a name (RFC 9562 §5.5, version 5): equal for equal names.
package struct NameUUID: Sendable, Hashable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// - Parameters:
    ///   - name: any text.
    ///   - namespace: a UUID of 16 bytes, so that names of other programs give other UUIDs.
    package init(of name: String, in namespace: [UInt8]) {
        var bytes = Array(Insecure.SHA1.hash(data: namespace + Array(name.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.bytes = bytes
    }

    /// In capitals: `74738FF5-5367-5958-9AEE-98FFFDCD1876`.
    package var description: String {
        let digits = Hex.text(bytes).uppercased()
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }
}
