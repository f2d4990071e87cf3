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
    private static let schemes: Set = ["imap", "imaps", "pop3", "pop3s", "smtp", "smtps"]

    private static func literals() throws -> [Literal] {
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        var literals: [Literal] = []
        for file in files {
            let path = folder.appendingPathComponent(file)
            guard path.pathExtension == "swift", !others.contains(path.lastPathComponent) else { continue }
            for line in try String(contentsOf: path, encoding: .utf8).split(separator: "\n") {
                let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
                for place in stride(from: 1, to: parts.count - 1, by: 2) {
                    literals.append((parts[place - 1], parts[place], parts[place + 1]))
                }
            }
        }
        return literals
    }

    /// Names of values and sections in all templates.
    private static func namesOfTemplates() -> Set<String> {
        var names: Set<String> = []
        for source in PageTemplates.sources.values {
            let tags = String(decoding: source, as: UTF8.self).components(separatedBy: "{{").dropFirst()
            for tag in tags.compactMap({ $0.components(separatedBy: "}}").first }) {
                // Neither another template nor a word of the table.
                guard !tag.hasPrefix(">"), !tag.contains(".") else { continue }
                names.insert(String(tag.drop { "#^/".contains($0) }))
            }
        }
        return names
    }

    @Test(arguments: ["Templates", "Assets"])
    func everyFileIsEmbedded(_ name: String) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.appendingPathComponent(name).path)
        #expect(Set(files) == Set(EmbeddedFiles.names(in: "Pages/\(name)")))
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
