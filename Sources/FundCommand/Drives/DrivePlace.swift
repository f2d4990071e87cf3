import ArgumentParser
import FundClient
import Terminal

/// A place in a drive as people write it: `DRIVE:PATH`.
struct DrivePlace {
    var drive: String
    /// Without slashes at its ends; empty for the top.
    var path: String

    /// Throws `ValidationError` for a text without a colon.
    init(_ text: String) throws {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
            throw ValidationError("“\(text)” names no drive: write DRIVE:PATH, or DRIVE: for its top.")
        }
        drive = String(text[..<colon])
        // By bytes: with a combining mark behind it, a slash is no character of its own.
        let names = text[text.index(after: colon)...].utf8.split(separator: UInt8(ascii: "/"))
        path = names.map { String(Substring($0)) }.joined(separator: "/")
    }

    /// Throws `ValidationError` for the top.
    static func item(_ text: String) throws -> DrivePlace {
        let place = try DrivePlace(text)
        guard !place.path.isEmpty else {
            throw ValidationError("“\(text)” is the whole drive: name a file or folder of it, as DRIVE:PATH.")
        }
        return place
    }
}

extension Session {
    /// The drive of a name, else of a number. Throws `CommandError` when there is none.
    func existingDrive(_ word: String) async throws -> Drive {
        let drives = try await drives()
        let found =
            drives.first { $0.name == word } ?? drives.first { $0.name.lowercased() == word.lowercased() }
            ?? drives.first { "\($0.id)" == word }
        guard let found else {
            throw CommandError(.refused, "There is no drive \(word). See `fund drive list`.")
        }
        return found
    }
}
