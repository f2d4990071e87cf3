import FundCore
import PostgreSQLRoom
import TestSupport

@testable import FundStore

/// The store of a harness and what lies beside it, to begin other harnesses with: it is filled once for many tests.
struct StoreTemplate: Sendable {
    let folder: FolderTemplate
    let rows: PostgreSQLSettings?
    let ann: User
    let fund: Fund

    /// - Parameter harness: is of no use afterwards; its store is closed.
    init(_ harness: StoreHarness) throws {
        try harness.store.close()
        folder = try FolderTemplate(of: harness.folder)
        (rows, ann, fund) = (harness.rows, harness.ann, harness.fund)
    }
}
