import FundHTTP
internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// A server with Ann's fund, and a client of hers.
struct UploadClient: Sendable {
    let harness: ServerHarness
    let token: String
    var fund: Fund.ID { harness.people.fund.id }
    var ann: User.ID { harness.people.ann.id }

    init(_ options: ServerHarness.Options = .init()) async throws {
        var options = options
        options.settings.limits.bodyGrace = .seconds(3600)
        harness = try await ServerHarness(options)
        token = try await harness.token(of: harness.people.ann)
    }

    func send(
        _ method: String, _ target: String, _ fields: [String: String] = [:], _ body: [UInt8]? = nil,
        token: String? = nil
    ) async throws -> RawHTTPResponse {
        try await harness.send(method, target, token: token ?? self.token, fields: fields, body: body)
    }

    /// Begins an upload with some bytes; gives its address.
    func begin(
        _ name: String, _ bytes: [UInt8] = [], length: Int? = nil, query: String = ""
    ) async throws -> String {
        var fields = ["Content-Type": "text/plain", "Upload-Complete": "?0"]
        if let length { fields["Upload-Length"] = "\(length)" }
        let response = try await send("POST", "/api/v1/funds/\(fund)/files?name=\(name)\(query)", fields, bytes)
        try #require(response.status == 201, "\(response.text)")
        #expect(response["upload-complete"] == "?0" && response["upload-offset"] == "\(bytes.count)")
        return try #require(response["location"])
    }

    func append(
        _ address: String, at offset: Int, _ bytes: [UInt8], isComplete: Bool, _ more: [String: String] = [:],
        token: String? = nil
    ) async throws -> RawHTTPResponse {
        let fields = [
            "Content-Type": "application/partial-upload", "Upload-Offset": "\(offset)",
            "Upload-Complete": isComplete ? "?1" : "?0",
        ]
        return try await send("PATCH", address, fields.merging(more) { $1 }, bytes, token: token)
    }

    func files() async throws -> [String: FileEntry] {
        let items = try await harness.store.library.children(of: LibraryPlace(fund: fund), of: ann)
        return items.reduce(into: [:]) { files, item in
            if case .file(let file) = item { files[file.name] = file }
        }
    }

    var openFiles: [String] {
        get throws { try DiskDirectory.names(in: harness.folder + "/store/tmp") }
    }

    /// Bytes of the files of uploads, with what stands before their content.
    var stagedBytes: Int {
        get throws {
            try openFiles.reduce(0) { sum, name in
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(harness.folder)/store/tmp/\(name)")
                return sum + (attributes[.size] as? Int ?? 0)
            }
        }
    }

    static func object(_ response: RawHTTPResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }
}
