import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// A fund of Ann's whose files have the previews that a test says, and her browser.
struct PreviewedFund {
    let previews = SamplePreviews()
    let harness: ServerHarness
    let session: BrowserSession
    let fund: Fund.ID

    init() async throws {
        harness = try await ServerHarness(.with(previews))
        session = try await BrowserSession(harness.people.ann, harness)
        fund = try await harness.store.library.addFund("Seen", of: harness.people.ann.id).id
    }

    /// - Parameter info: nil when nothing looked at the file yet.
    func put(
        _ name: String, _ contentType: String = "application/octet-stream", _ outcome: SamplePreviews.Outcome = .ready,
        _ info: FileInfo? = nil, ifTaken: NameConflict = .refuse
    ) async throws -> FileEntry {
        let upload = try harness.store.library.makeUpload(named: name, announcing: nil)
        try Array("bytes of \(name)".utf8).withUnsafeBytes { try upload.append($0) }
        let file = try await harness.store.library.addFile(
            try upload.finish(contentType: contentType),
            at: FileTarget(name, in: LibraryPlace(fund: fund), ifTaken: ifTaken), of: harness.people.ann.id)
        previews.set(outcome, of: file.digest, info)
        return file
    }

    /// The answer to Ann's browser.
    func page(_ path: String, _ fields: [String: String] = [:]) async throws -> RawHTTPResponse {
        try await session.get(path, harness, fields: fields)
    }

    /// The page of a file.
    func page(of file: FileEntry, _ query: String = "", _ fields: [String: String] = [:]) async throws -> String {
        let page = try await page("/library/files/\(file.id)\(query)", fields)
        #expect(page.status == 200, "\(page.text.suffix(500))")
        return page.text
    }
}
