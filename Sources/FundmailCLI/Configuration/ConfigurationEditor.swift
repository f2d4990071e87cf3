import FundCore
import MailWatch
import Yams

/// Adds a mailbox, or the server for letters, to the text of a configuration. Every line that is there stays as it is.
///
/// Where the lines go is found with the places that the YAML reader gives. Whether they went there is found by reading
/// the result: unless it says what the text said before, and what was added, the text counts as not editable.
struct ConfigurationEditor {
    private static let key = "mailboxes:"
    private static let lettersKey = "smtp:"
    /// Values of the key that say there is none.
    private static let noneOf: Set<String> = ["", "[]", "~", "null"]

    let text: String
    /// Path for people; relative paths start at its folder.
    let file: String
    var credentialsFolder: String?

    /// - Returns: the new text, and what it says. Throws `ConfigurationError` for text that is no configuration, and
    ///   `NotEditable`.
    func adding(_ entry: MailboxEntry) throws -> (text: String, configuration: Configuration) {
        let old = try decode(text)
        let lines = lines
        let place = try place(in: lines)
        let result = inserting(entry.lines(indent: place.indent), at: place, into: lines)
        guard let new = try? decode(result), Self.isSame(new, as: old, with: entry) else { throw NotEditable() }
        return (result, new)
    }

    /// - Returns: as above. Throws `NotEditable` also where the configuration has the key already.
    func adding(_ entry: SMTPEntry) throws -> (text: String, configuration: Configuration) {
        let old = try decode(text)
        guard let root = try ConfigurationNode.parse(text, file: file).node.mapping, root.style != .flow,
            !root.contains(where: { $0.key.scalar?.string == "smtp" })
        else { throw NotEditable() }
        let lines = lines
        let result = inserting(entry.lines, at: newKey(Self.lettersKey, in: lines), into: lines)
        guard let new = try? decode(result), let added = new.smtp, entry.isSaid(by: added) else { throw NotEditable() }
        var expected = old
        (expected.smtp, expected.warnings) = (added, new.warnings)
        guard new == expected else { throw NotEditable() }
        return (result, new)
    }

    /// The last one is empty: text after the last line end is a line, too.
    private var lines: [String] {
        let lines = text.utf8.split(separator: .lf, omittingEmptySubsequences: false).map { String(Substring($0)) }
        return lines.last?.isEmpty == false ? lines + [""] : lines
    }

    private func inserting(_ added: [String], at place: Place, into lines: [String]) -> String {
        var lines = lines
        let lineEnd = lines.first?.utf8.last == .cr ? "\r" : ""
        if let changed = place.changedLine { lines[place.index - 1] = changed }
        lines.insert(contentsOf: (place.before + added + place.behind).map { $0 + lineEnd }, at: place.index)
        return lines.joined(separator: "\n")
    }

    private func decode(_ text: String) throws -> Configuration {
        try ConfigurationDecoder.decode(text, file: file, credentialsFolder: credentialsFolder)
    }

    private static func isSame(_ new: Configuration, as old: Configuration, with entry: MailboxEntry) -> Bool {
        guard let added = new.mailboxes.last, added.name == entry.name, added.server == entry.server,
            added.trust == entry.trust, case .passwordFile = added.credential,
            (added.caFile == nil) == (entry.authorityFile == nil)
        else { return false }
        var expected = old
        expected.mailboxes.append(added)
        expected.warnings = new.warnings
        return new == expected
    }

    // MARK: Where it goes

    private struct Place {
        /// Lines in front of the new ones.
        var index: Int
        var indent = "  "
        var before: [String] = []
        var behind: [String] = []
        /// For the line in front of `index`.
        var changedLine: String?
    }

    private func place(in lines: [String]) throws -> Place {
        guard let root = try ConfigurationNode.parse(text, file: file).node.mapping, root.style != .flow else {
            throw NotEditable()
        }
        guard let (name, value) = root.first(where: { $0.key.scalar?.string == "mailboxes" }) else {
            return newKey(Self.key, in: lines)
        }
        guard let line = name.mark?.line, lines.indices.contains(line - 1) else { throw NotEditable() }
        let next = root.compactMap { $0.key.mark?.line }.filter { $0 > line }.min().map { $0 - 1 }
        guard let items = value.sequence, !items.isEmpty else { return try emptyList(lines, line: line) }
        guard items.style != .flow, let first = items.first?.mark?.line else { throw NotEditable() }
        return try endOfList(lines, from: line, first: first, next: next)
    }

    /// A key that is not there goes below its commented example.
    private func newKey(_ key: String, in lines: [String]) -> Place {
        var index = lines.count - 1
        if let example = lines.firstIndex(where: { Self.trimmed($0) == "#\(key)" && $0.hasPrefix("#") }) {
            index = lines[example...].firstIndex { !$0.hasPrefix("#") } ?? index
        }
        let isBlankBehind = index >= lines.count - 1 || Self.isBlank(lines[index])
        return Place(index: index, before: ["", key], behind: isBlankBehind ? [] : [""])
    }

    /// The key says that there is none.
    private func emptyList(_ lines: [String], line: Int) throws -> Place {
        let old = lines[line - 1]
        let comment = old.firstIndex(of: "#") ?? old.endIndex
        let (content, rest) = (Self.trimmed(old[..<comment]), old[comment...])
        guard content.hasPrefix(Self.key), Self.noneOf.contains(Self.trimmed(content.dropFirst(Self.key.count))) else {
            throw NotEditable()
        }
        guard content != Self.key else { return Place(index: line) }
        let end = rest.isEmpty && old.utf8.last == .cr ? "\r" : ""
        return Place(index: line, changedLine: Self.key + (rest.isEmpty ? end : " \(rest)"))
    }

    /// Below the last item, and the comments that belong to it.
    /// - Parameters:
    ///   - line: of the key, counted from 1, as `first`, that of the first item.
    ///   - next: the index of the line of the next key; nil when it is the last.
    private func endOfList(_ lines: [String], from line: Int, first: Int, next: Int?) throws -> Place {
        guard
            let hyphen = (line..<max(line, min(first, lines.count))).last(where: {
                Self.trimmed(lines[$0]).first == "-"
            })
        else { throw NotEditable() }
        let indent = String(lines[hyphen].prefix { $0 == " " })
        let limit = next ?? lines.count
        var end = limit
        while end > hyphen, Self.isBlank(lines[end - 1]) || Self.isComment(lines[end - 1]) { end -= 1 }
        var index = end
        while index < limit, Self.isComment(lines[index]) { index += 1 }
        // Comments that stand right above the next key are about it, unless they are as deep as the item.
        if index == limit, next != nil {
            index = end
            while index < limit, lines[index].prefix(while: { $0 == " " }).count > indent.count { index += 1 }
        }
        return Place(index: index, indent: indent)
    }

    private static func trimmed(_ line: some StringProtocol) -> String {
        var scalars = String(line).unicodeScalars[...]
        func isSpace(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { " \t\r".unicodeScalars.contains($0) } ?? false }
        while isSpace(scalars.first) { scalars.removeFirst() }
        while isSpace(scalars.last) { scalars.removeLast() }
        return String(scalars)
    }

    private static func isBlank(_ line: String) -> Bool { trimmed(line).isEmpty }
    private static func isComment(_ line: String) -> Bool { trimmed(line).hasPrefix("#") }
}

/// The text has a form in which lines cannot be added safely: a list in braces or brackets, or an alias.
struct NotEditable: Error {}
