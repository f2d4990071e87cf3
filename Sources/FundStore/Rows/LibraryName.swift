import FundCore

/// Names that users give to folders and files.
package enum LibraryName {
    /// Limit of file systems, so that every client can hold the name.
    static let maxBytes = 255

    /// A name in the form in which it is kept (NFC). Throws `StoreError` with `invalid`.
    package static func checked(_ name: String, _ operation: String) throws -> String {
        // Composing makes three bytes of nine at most (Hangul).
        guard name.utf8.count <= 3 * maxBytes else { throw StoreError(operation, tooLong) }
        let name = name.nfc
        if let problem = problem(with: name) { throw StoreError(operation, problem) }
        return name
    }

    /// The name of a fund, which a tag must be able to carry. Throws `invalid`.
    static func checkedFund(_ name: String, _ operation: String) throws -> String {
        if let problem = FundName.problem(with: name) { throw StoreError(operation, problem) }
        if name == "." || name == ".." || name.utf8.contains(UInt8(ascii: "/")) {
            throw StoreError(
                operation, InputProblem(.nameSlash, "a name must not contain a slash, or be `.` or `..`"))
        }
        return name.nfc
    }

    private static let tooLong = InputProblem(.nameTooLong, "a name may have at most \(maxBytes) bytes")

    private static func problem(with name: String) -> InputProblem? {
        if name.isEmpty || name == "." || name == ".." {
            return InputProblem(.nameEmpty, "a name must not be empty, `.` or `..`")
        }
        if name.utf8.count > maxBytes { return tooLong }
        if name.utf8.contains(UInt8(ascii: "/")) {
            return InputProblem(.nameSlash, "a name must not contain a slash")
        }
        if name.unicodeScalars.contains(where: isForbidden) {
            return InputProblem(
                .nameControls, "a name must not contain control characters or turn the direction of writing")
        }
        return name.hasVisibleScalar ? nil : InputProblem(.nameInvisible, "a name needs visible characters")
    }

    /// Controls, and what makes a name read as another one (UAX #9 §2: embeddings, overrides, isolates).
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// A name of another program as one that may stand here: `_` in place of what is forbidden, and cut where it is too
    /// long, before what tells its type.
    package static func cleaned(_ name: String) -> String {
        let scalars = String(name.prefix(3 * maxBytes)).nfc.unicodeScalars.map { scalar -> Character in
            isForbidden(scalar) || scalar == "/" ? "_" : Character(scalar)
        }
        let clean = String(scalars).trimmed
        guard clean.hasVisibleScalar, clean != ".", clean != ".." else { return "_" }
        guard clean.utf8.count > maxBytes else { return clean }
        let parts = FileNameParts(clean)
        guard parts.suffix.utf8.count <= maxBytes / 2 else { return prefix(clean, bytes: maxBytes) }
        return prefix(parts.stem, bytes: maxBytes - parts.suffix.utf8.count) + parts.suffix
    }

    /// `FileName.free`, cut where the number would make it too long.
    static func free(_ name: String, isTaken: (_ key: String) throws -> Bool) throws -> String {
        let free = try FileName.free(name, isTaken: isTaken)
        guard free.utf8.count > maxBytes else { return free }
        let parts = FileNameParts(name)
        let (stem, suffix) = (parts.stem, parts.suffix)
        // A suffix that fills all the room is no suffix.
        let isLong = suffix.utf8.count > maxBytes / 2
        let cut = prefix(isLong ? name : stem, bytes: maxBytes - numberBytes - (isLong ? 0 : suffix.utf8.count))
        return try FileName.free(cut + (isLong ? "" : suffix), isTaken: isTaken)
    }

    private static func prefix(_ text: String, bytes: Int) -> String {
        var (result, count) = ("", 0)
        for character in text {
            count += String(character).utf8.count
            guard count <= bytes else { break }
            result.append(character)
        }
        return result.isEmpty ? "_" : result
    }

    /// Whether a file that came as `original` may be called `name` because that was taken: with a number, and cut where
    /// it had no room for one.
    package static func isNumbered(_ name: String, of original: String) -> Bool {
        let (parts, other) = (FileNameParts(name), FileNameParts(original))
        let (stem, whole) = (FileName.key(FileName.numbering(parts.stem).base), FileName.key(other.stem))
        guard FileName.key(parts.suffix) == FileName.key(other.suffix) else { return false }
        let isCut =
            original.utf8.count > maxBytes - numberBytes && name.utf8.count > maxBytes / 2 && whole.hasPrefix(stem)
        return FileName.key(parts.stem) == whole || stem == whole
            || stem == FileName.key(FileName.numbering(other.stem).base) || isCut
    }

    /// A text that a name shares with all those which `isNumbered` may take for a form of it.
    package static func numberedKey(of name: String) -> String {
        let parts = FileNameParts(name)
        var base = parts.stem
        while case let shorter = FileName.numbering(base).base, shorter != base { base = shorter }
        let shared = FileName.key(base).utf8.prefix(sharedBytes)
        return String(decoding: shared, as: UTF8.self) + FileName.key(parts.suffix)
    }

    /// Bytes of a stem that stay however much is cut off it for a suffix and a number.
    private static let sharedBytes = maxBytes / 2 - numberBytes * 2

    /// Room for a number of seven digits in parentheses.
    private static let numberBytes = 9

    /// Whether a live file or folder has the name.
    static func isTaken(_ db: Database, _ key: String, in place: LibraryPlace) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM file WHERE fund_id = ?1 AND \(SQL.parent("folder_id")) = ?2
                AND name_key = ?3 AND deleted_at IS NULL
            UNION ALL SELECT 1 FROM folder WHERE fund_id = ?1 AND \(SQL.parent("parent_id")) = ?2
                AND name_key = ?3 AND deleted_at IS NULL
            """, place.arguments + [key])
    }
}

/// Display names that are unique in a folder.
package enum FileName {
    /// The form in which names are compared: NFC, without regard to case, as the funds' are.
    package static func key(_ name: String) -> String { name.nfc.caseFolded.nfc }

    /// `name`, or `stem(1).ext`, `stem(2).ext` …; a name that is numbered beside others goes on from its number.
    /// Asks by
    /// doubling and then halving, so that ten thousand files of one name cost some thirty questions; while the numbers
    /// have no gaps, the next one comes out.
    static func free(_ name: String, isTaken: (_ key: String) throws -> Bool) rethrows -> String {
        guard try isTaken(key(name)) else { return name }
        let parts = FileNameParts(name)
        let (stem, suffix) = (parts.stem, parts.suffix)
        var (base, first) = numbering(stem)
        // `Invoice(12)` alone is no copy of anything: its number is its own.
        if first > 1, try !isTaken(key(base + suffix)), try !isTaken(key("\(base)(\(first - 1))\(suffix)")) {
            (base, first) = (stem, 0)
        }
        func numbered(_ number: Int) -> String { "\(base)(\(first + number))\(suffix)" }
        var (taken, free) = (0, 1)
        while try isTaken(key(numbered(free))) { (taken, free) = (free, free * 2) }
        while free - taken > 1 {
            let middle = (taken + free) / 2
            if try isTaken(key(numbered(middle))) { taken = middle } else { free = middle }
        }
        return numbered(free)
    }

    /// Digits of the largest number that a stem is taken to be numbered by: `Accounts(2025)` names a year.
    private static let maxNumberDigits = 3

    /// A stem without the number behind it, and that number: 0 for a stem without one.
    static func numbering(_ stem: String) -> (base: String, number: Int) {
        guard stem.last == ")", let open = stem.lastIndex(of: "("), open != stem.startIndex else { return (stem, 0) }
        let digits = Array(stem[stem.index(after: open)...].dropLast().utf8)
        guard digits.count <= maxNumberDigits, digits.first != UInt8(ascii: "0"), let number = ASCII.number(digits[...])
        else { return (stem, 0) }
        return (String(stem[..<open]), number)
    }
}
