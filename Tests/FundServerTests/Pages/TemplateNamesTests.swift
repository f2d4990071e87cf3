import Foundation
import Testing

@testable import FundServer

/// The names that templates and views share. The compiler knows none of them: a section under a name that no view fills
/// is never shown, and a value under a name that no template has is made for nothing.
struct TemplateNamesTests {
    /// A text between quotation marks in a line of Swift, with the code before and behind it.
    private typealias Literal = (before: Substring, text: Substring, after: Substring)

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../../Sources/FundServer/Pages").standardized

    /// Files with dictionaries of other names.
    private static let others: Set = ["PageTemplate.swift", "PageTemplates.swift", "FileKind.swift"]
    /// Names of mail protocols in a dictionary that is no model.
    private static let schemes: Set = ["imap", "imaps", "pop3", "pop3s"]

    private static func literals() throws -> [Literal] {
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".swift") && !others.contains(URL(filePath: $0).lastPathComponent) }
        return try files.flatMap { file in
            try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
                .split(separator: "\n").flatMap { line -> [Literal] in
                    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
                    return stride(from: 1, to: parts.count - 1, by: 2).map { (parts[$0 - 1], parts[$0], parts[$0 + 1]) }
                }
        }
    }

    /// Names of values and sections in all templates.
    private static func namesOfTemplates() -> Set<String> {
        let tags = PageTemplates.sources.values.flatMap { source in
            String(decoding: source, as: UTF8.self).components(separatedBy: "{{").dropFirst()
        }
        return Set(
            tags.compactMap { $0.components(separatedBy: "}}").first }
                .filter { !$0.hasPrefix(">") && !$0.contains(".") }
                .map { $0.trimmingPrefix { "#^/".contains($0) } }.map(String.init))
    }

    @Test
    func aViewFillsEveryName() throws {
        let known = Set(try Self.literals().map { String($0.text) })
        // `"\(field)Failed"`, where the name of the field is known.
        let failed = "Failed"
        let unknown = Self.namesOfTemplates().filter {
            !known.contains($0) && !($0.hasSuffix(failed) && known.contains(String($0.dropLast(failed.count))))
        }
        #expect(unknown.isEmpty, "no view fills \(unknown.sorted())")
    }

    @Test
    func aTemplateHasEveryName() throws {
        let names = Self.namesOfTemplates()
        #expect(names.count > 400)
        let filled = try Self.literals().filter { before, _, after in
            let isFirst = before.last { $0 != " " }.map { $0 == "[" || $0 == "," } ?? true
            return isFirst && after.hasPrefix(": ")
        }
        let unknown = Set(filled.map { String($0.text) }).subtracting(names).subtracting(Self.schemes)
        #expect(unknown.isEmpty, "no template has \(unknown.sorted())")
    }
}
