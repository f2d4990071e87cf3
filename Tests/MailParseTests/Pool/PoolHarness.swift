import Foundation
import FundCore
import TestSupport

@testable import MailParse

/// A pool with real children, and a folder for its messages, which goes away with it.
final class PoolHarness: Sendable {
    let folder: String
    let pool: ParserPool

    /// A debug build on a busy machine takes many seconds for a large message: only tests of the limit set a short
    /// time.
    init(
        concurrency: Int = 1, debug: ParseRequest.DebugMarks = [], executable: String? = nil, script: String? = nil,
        maxSeconds: Double? = 300, feedSeconds: Double? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("fundmail-pool-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var recipe = ChildRecipe(executable: executable ?? BuiltProgram().path, stagingDirectory: folder)
        // A script that stands in for a child.
        if let script { (recipe.executable, recipe.arguments) = ("/bin/sh", ["-c", script]) }
        recipe.debug = debug.rawValue
        recipe.maxSeconds = maxSeconds
        if let feedSeconds { recipe.feedSeconds = feedSeconds }
        pool = ParserPool(recipe, concurrency: concurrency)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func spool(_ text: String) throws -> SpooledMessage { try spool(Array(text.utf8)) }

    func spool(_ bytes: [UInt8]) throws -> SpooledMessage {
        var writer = SpoolDirectory(path: folder).makeWriter()
        try bytes.withUnsafeBytes { try writer.append($0) }
        return writer.finish()
    }

    struct Parsed {
        var result: ParseResult
        /// The bytes of each attachment.
        var files: [[UInt8]]

        var message: ParsedMessage? {
            if case .message(let message) = result { message } else { nil }
        }
        var refusal: (reason: Reason, detail: String)? {
            if case .refused(let reason, let detail, _, _) = result { (reason, detail) } else { nil }
        }
        /// `path name type`.
        var list: [String] {
            message?.attachments.map { "\($0.partPath) \($0.sentName ?? "-") \($0.contentType)" } ?? []
        }
    }

    func parse(_ text: String, _ limits: ParseLimits = ParseLimits()) async throws -> Parsed {
        try await parse(Array(text.utf8), limits)
    }

    func parse(_ bytes: [UInt8], _ limits: ParseLimits = ParseLimits()) async throws -> Parsed {
        try await parse(spool(bytes), limits)
    }

    func parse(_ message: SpooledMessage, _ limits: ParseLimits = ParseLimits()) async throws -> Parsed {
        try await pool.withWorker { worker in
            let result = try worker.parse(message, limits: limits)
            var files: [[UInt8]] = []
            if case .message(let parsed) = result {
                for index in parsed.attachments.indices {
                    var bytes: [UInt8] = []
                    try worker.readAttachment(index) { bytes.append(contentsOf: $0) }
                    files.append(bytes)
                }
            }
            return Parsed(result: result, files: files)
        }
    }
}
