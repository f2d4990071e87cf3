internal import Foundation

/// Messages from the test suites of other mail programs, which may lie beside the checkout. Never part of the project.
package struct CorporaMail: Sendable {
    /// A line of `expected.jsonl`; null means that nothing is claimed.
    package struct Claims: Sendable, Decodable {
        package struct File: Sendable, Decodable {
            package var name: String?
            package var content_type: String
            package var size: Int?
            package var sha256: String?
        }
        package var file: String
        package var basis: String
        package var subject: String?
        package var from: String?
        package var attachments: [File]
    }

    /// `FUNDMAIL_CORPORA`, else `../shared/corpora` beside the checkout; nil when there is none.
    package static let folder: String? = {
        let named = ProcessInfo.processInfo.environment["FUNDMAIL_CORPORA"]
        let path = named ?? PackageRoot.path + "/../shared/corpora"
        return FileManager.default.fileExists(atPath: path + "/expected.jsonl") ? path : nil
    }()

    /// `suite/name.eml` → bytes as they came.
    package static func messages(in folder: String) throws -> [(name: String, bytes: [UInt8])] {
        guard let all = FileManager.default.enumerator(atPath: folder) else { throw FixtureError("\(folder)?") }
        let names = all.compactMap { $0 as? String }.filter { $0.hasSuffix(".eml") }.sorted()
        guard !names.isEmpty else { throw FixtureError("\(folder): no messages") }
        return try names.map { ($0, Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)")))) }
    }

    package static func claims(in folder: String) throws -> [Claims] {
        let text = try String(contentsOfFile: folder + "/expected.jsonl", encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONDecoder().decode(Claims.self, from: Data($0.utf8)) }
    }
}
