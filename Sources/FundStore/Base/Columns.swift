internal import Foundation
internal import GRDB
internal import Glibc
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

extension LibraryItemID {
    /// How the tables that hold all kinds of items name them. Throws `corrupted` for a number that is no kind.
    init(column kind: Int, _ id: Int64) throws {
        guard let kind = ItemKind(rawValue: kind) else {
            throw StoreError(.corrupted, "read the library", "\(kind) is no kind of item")
        }
        self.init(kind, id)
    }
}

/// The folder that holds a row, as a value: 0 at the top of a fund.
enum ParentFolder {
    /// As the unique indexes of names spell it: SQLite uses an index on an expression only for that very expression.
    static func of(_ column: String) -> String { "ifnull(\(column), 0)" }
}

extension String {
    /// Without NUL: SQLite would take the text only up to there.
    var cleaned: String {
        var text = self
        let hasNUL = text.withUTF8 { bytes in bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false }
        guard hasNUL else { return self }
        return String(unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : Character($0) })
    }
}

/// Ids and times are kept as their integers.
extension ID: DatabaseValueConvertible, StatementColumnConvertible {}
extension Timestamp: DatabaseValueConvertible, StatementColumnConvertible {}

extension Database {
    /// The id of the row that was inserted last (https://sqlite.org/c3ref/last_insert_rowid.html). The caller says of what it is.
    func lastInsertedID<Entity>(_ entity: Entity.Type = Entity.self) -> ID<Entity> { ID(lastInsertedRowID) }
}
