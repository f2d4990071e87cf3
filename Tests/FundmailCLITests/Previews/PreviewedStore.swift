import Foundation
import FundCore
import FundStore
import Testing

/// A store in a folder of its own with one user and one fund.
final class PreviewedStore: Sendable {
    let folder: String
    let store: FundStore
    let ann: User
    let fund: Fund

    init() async throws {
        folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "previews"))"
        store = try FundStore.open(at: folder + "/store", mode: .create)
        ann = try await store.administration.addUser(
            email: "ann@example.com", name: "Ann", isAdministrator: false, addresses: [], actor: "test")
        fund = try await store.administration.addFund(name: "Fund1", owner: ann.id, aliases: [], actor: "test")
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    @discardableResult
    func put(_ name: String, _ bytes: [UInt8], type: String = "application/octet-stream") async throws -> FileEntry {
        let writer = try store.library.makeUpload(named: name, announcing: Int64(bytes.count))
        try bytes.withUnsafeBytes { try writer.append($0) }
        return try await store.library.addFile(
            try writer.finish(contentType: type),
            at: FileTarget(name, in: LibraryPlace(fund: fund.id), ifTaken: .refuse),
            of: ann.id)
    }
}
