internal import Foundation

/// Names of files and folders as two sides see them.
package enum SyncName {
    /// The folder at the top of a kept folder in which the synchronization keeps its own files. It takes no part,
    /// wherever it lies.
    package static let ownFolder = ".fund"
    /// Prefix of the temporary names that things have while they change places.
    static let temporaryPrefix = ".fund-passing-"
    /// Mark in the name of every conflict copy.
    static let conflictMark = " (conflict, "
    /// Longest name of file systems and of the server, in bytes of UTF-8.
    static let maxBytes = 255

    /// Two names with the same key are one name for the server: NFC, without regard to case.
    static func key(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
        let composed = name.precomposedStringWithCanonicalMapping
        return composed.unicodeScalars.reduce(into: "") { $0 += folded($1) }.precomposedStringWithCanonicalMapping
    }

    /// Lower case first: the capital `ẞ` has no upper case of its own, while that of `ß` is `SS`.
    private static func folded(_ scalar: Unicode.Scalar) -> String {
        guard scalar.properties.changesWhenLowercased || scalar.properties.changesWhenCaseFolded else {
            return String(scalar)
        }
        return scalar.properties.lowercaseMapping.unicodeScalars.map { lower in
            lower.properties.uppercaseMapping.unicodeScalars.map(\.properties.lowercaseMapping).joined()
        }.joined()
    }

    static func isTemporary(_ name: String) -> Bool {
        let number = name.dropFirst(temporaryPrefix.count)
        return name.hasPrefix(temporaryPrefix) && !number.isEmpty
            && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Why the server takes no such name; nil when it does.
    static func problemOnServer(_ name: String, isFund: Bool) -> String? {
        if name.precomposedStringWithCanonicalMapping.utf8.count > maxBytes || isFund && name.count > 120 {
            return "the name is too long for the server"
        }
        if name.unicodeScalars.contains(where: isForbidden) {
            return "the server takes no control characters, and none that turn the direction of writing, in a name"
        }
        if !name.unicodeScalars.contains(where: isVisible) { return "the name has no visible character" }
        if isFund, name.unicodeScalars.contains(where: { "[]［］【】〔〕〖〗".unicodeScalars.contains($0) }) {
            return "a fund's name must not contain brackets"
        }
        return nil
    }

    /// Why no file system of this machine holds the name; nil when most do.
    static func problemHere(_ name: String, isTop: Bool) -> String? {
        if name.isEmpty || name == "." || name == ".." || name.utf8.contains(UInt8(ascii: "/"))
            || name.utf8.contains(0)
        {
            return "a file here cannot have this name"
        }
        if name.utf8.count > maxBytes { return "the name is too long for this file system" }
        if key(name) == ownFolder || isTop && isTemporary(name) { return "the name is kept for the synchronization" }
        return nil
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return (0x21..<0x7F).contains(scalar.value) }
        let properties = scalar.properties
        return scalar.value != 0x2800 && !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
            && ![.control, .format].contains(properties.generalCategory)
    }

    // MARK: Conflicts

    /// `report (conflict, ann, 2026-11-21).pdf`, and with a number from 2 for one more; cut where it would be too long.
    static func conflict(_ name: String, by user: String, on day: String, isTaken: (_ name: String) -> Bool) -> String {
        var number = 1
        while true {
            let mark = "\(conflictMark)\(user), \(day)\(number == 1 ? "" : ", \(number)"))"
            let (stem, suffix) = split(name)
            let isLong = suffix.utf8.count > maxBytes / 2
            let room = maxBytes - mark.utf8.count - (isLong ? 0 : suffix.utf8.count)
            let result = prefix(isLong ? name : stem, bytes: room) + mark + (isLong ? "" : suffix)
            if !isTaken(result) { return result }
            number += 1
        }
    }

    /// Temporary name for an exchange.
    static func temporary(_ number: Int) -> String { "\(temporaryPrefix)\(number)" }

    /// The extension with its dot goes apart; a leading dot begins no extension.
    static func split(_ name: String) -> (stem: String, suffix: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }

    private static func prefix(_ text: String, bytes: Int) -> String {
        var (result, count) = ("", 0)
        for character in text {
            count += character.utf8.count
            guard count <= bytes else { break }
            result.append(character)
        }
        return result
    }
}
