import FundCore
import TestSupport
import Testing

@testable import FundServer

/// A server with drives of one store in memory, and Ann at its pages.
struct DrivePagePlace {
    let harness: ServerHarness
    let ann: BrowserSession
    let drives: SampleDrives

    init(_ files: [String: [UInt8]?] = [:], _ options: ServerHarness.Options = .init()) async throws {
        drives = SampleDrives(files)
        var options = options
        options.drives = drives
        harness = try await ServerHarness(options)
        ann = try await BrowserSession(harness.people.ann, harness)
    }

    func get(_ path: String) async throws -> RawHTTPResponse { try await ann.get(path, harness) }

    func post(_ path: String, _ form: String) async throws -> RawHTTPResponse {
        try await ann.post(path, form, harness)
    }

    func add(_ key: String = "right") async throws -> RawHTTPResponse {
        try await post(
            "/library/drives/new", "kind=b2&name=Cloud&set-bucket=b&set-account=ann-account&set-key=\(key)")
    }

    func addDrive() async throws -> String {
        let added = try await add()
        #expect(added.status == 303, "\(added.text.prefix(400))")
        return try #require(added["location"]?.split(separator: "?").first.map(String.init))
    }
}
