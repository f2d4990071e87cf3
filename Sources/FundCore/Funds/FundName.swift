/// The comparison of names of funds, their aliases and tags.
package enum FundName {
    /// Mail clients and gateways cut longer names off in subjects.
    package static let maxCharacters = 120
    /// Longest name of file systems, so that every client can show the fund as a folder.
    package static let maxBytes = 255
    /// Longest tag that is looked up; earlier versions allowed names of 120 characters of any byte length.
    package static let maxTagBytes = 1024

    /// NFKC, case folding and collapsed white space, without invisible characters: `Ｆｕｎｄ１`, ` fund1 ` and
    /// `FUND1` are one. Empty when nothing visible is left.
    package static func key(_ name: String) -> String {
        if let key = asciiKey(name) { return key }
        let folded = name.nfkc.unicodeScalars.reduce(into: "") { result, scalar in
            guard !isInvisible(scalar) else { return }
            // A Turkish capital `I` is one of both.
            result += scalar.properties.isWhitespace ? " " : scalar == "ı" ? "i" : scalar.caseFolded
        }
        let words = folded.nfkc.split(separator: " ", omittingEmptySubsequences: true)
        return words.joined(separator: " ")
    }

    /// Nil when `name` can be found by a tag; else what is wrong with it.
    package static func problem(with name: String) -> InputProblem? {
        // Bytes first: all else takes time by length. Composing makes three bytes of nine at most (Hangul).
        if name.utf8.count > 3 * maxBytes || name.nfc.utf8.count > maxBytes || name.count > maxCharacters {
            return InputProblem(
                .fundNameTooLong, "a fund's name may have at most \(maxCharacters) characters and \(maxBytes) bytes")
        }
        if key(name).isEmpty || !name.hasVisibleScalar {
            return InputProblem(.nameInvisible, "a fund needs a name with visible characters")
        }
        if name.unicodeScalars.contains(where: { "[]［］【】〔〕〖〗".unicodeScalars.contains($0) }) {
            return InputProblem(
                .nameBrackets, "a fund's name must not contain brackets: subjects name it between brackets")
        }
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control || isInvisible($0) }) {
            return InputProblem(.nameControls, "a fund's name must not contain control or invisible characters")
        }
        return nil
    }

    private static func asciiKey(_ name: String) -> String? {
        var key: [UInt8] = []
        key.reserveCapacity(name.utf8.count)
        for byte in name.utf8 {
            switch byte {
            case _ where ASCII.isVisible(byte): key.append(ASCII.lowercased(byte))
            case _ where ASCII.isSpace(byte): if key.last != .space, !key.isEmpty { key.append(.space) }
            case ..<0x80: continue
            default: return nil
            }
        }
        if key.last == .space { key.removeLast() }
        return String(decoding: key, as: UTF8.self)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.properties.isWhitespace else { return false }
        return scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .control
            || scalar.properties.generalCategory == .format
    }
}
