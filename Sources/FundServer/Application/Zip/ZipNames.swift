internal import FundHTTP
internal import FundCore

/// Names under which the entries of a zip file can be unpacked everywhere: what people and senders chose, made safe for
/// Windows, and unique in each folder without regard to case.
struct ZipNames {
    /// Name of the folder with the emails.
    static let mail = "Mail"
    /// Longest name that common file systems take.
    private static let maxBytes = 255
    /// Limit of an extension with its dot that stays behind a number; a longer one is part of the name.
    private static let maxSuffixBytes = 32
    /// Bytes of a subject in the name of an email.
    private static let maxSubjectBytes = 150

    private struct Place: Hashable {
        var folder: Int?
        var key: String
    }

    /// Hashes, since there may be a hundred thousand names. Two names with one hash cost a number that is not needed.
    private var taken: Set<Int> = []
    private var nextNumber: [Int: Int] = [:]

    /// `name`, `name (1).ext`, `name (2).ext` …
    /// - Parameter folder: tells the folders apart.
    mutating func unique(_ name: String, in folder: Int?) -> String {
        let key = Self.hash(name, folder)
        if taken.insert(key).inserted { return name }
        let parts = FileNameParts(name, maxSuffixBytes: Self.maxSuffixBytes)
        var number = nextNumber[key] ?? 1
        while true {
            let end = " (\(number))\(parts.suffix)"
            let numbered = Self.trimmed(parts.stem.prefix(bytes: Self.maxBytes - end.utf8.count)) + end
            number += 1
            if taken.insert(Self.hash(numbered, folder)).inserted {
                nextNumber[key] = number
                return numbered
            }
        }
    }

    private static func hash(_ name: String, _ folder: Int?) -> Int {
        Place(folder: folder, key: name.nfc.caseFolded.nfc).hashValue
    }

    private static func trimmed(_ text: String) -> String {
        guard let end = text.unicodeScalars.lastIndex(where: { $0 != " " && $0 != "." }) else { return "_" }
        return String(text.unicodeScalars[...end])
    }

    /// A name that is no path, no device and no other name on Windows (`WindowsName`), on Linux or on macOS: neither
    /// separators nor wildcards nor controls, and nothing that turns the direction of writing.
    static func safe(_ name: String) -> String {
        var result = ""
        for scalar in name.unicodeScalars { result.unicodeScalars.append(isForbidden(scalar) ? "_" : scalar) }
        result = result.prefix(bytes: maxBytes)
        // `.`, `..`, and what Windows cuts off.
        if let last = result.unicodeScalars.last, last == "." || last == " " {
            result.unicodeScalars.removeLast()
            result += "_"
        }
        if WindowsName.isDevice(result) { result = "_" + result.prefix(bytes: maxBytes - 1) }
        return result.isEmpty ? "_" : result
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        // The scalars with the property Bidi_Control.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: "\\/:*?\"<>|".unicodeScalars.contains(scalar)
        }
    }

    /// `2026-11-22 Subject.eml`.
    static func email(subject: String, receivedAt: Timestamp, suffix: String) -> String {
        let words = subject.label.split(separator: " ").joined(separator: " ").prefix(bytes: maxSubjectBytes)
        let date = DateText.internet(receivedAt).prefix(10)
        return safe("\(date) \(words.isEmpty ? "(no subject)" : trimmed(words))\(suffix)")
    }
}
