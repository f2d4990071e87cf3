internal import Foundation
internal import GRDB
import FundCore

extension ContentDigest {
    /// As SQLite takes it.
    var column: DatabaseValue { Data(bytes).databaseValue }

    /// Throws `corrupted` when the column does not hold 32 bytes.
    init(column: DatabaseValue) throws {
        guard case .blob(let data) = column.storage, let digest = ContentDigest(bytes: data) else {
            throw StoreError(.corrupted, "read a digest", "a column holds no SHA-256")
        }
        self = digest
    }
}
