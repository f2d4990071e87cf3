internal import Crypto
internal import GRDB
import FundCore

/// A checksum of values as a function of SQL, which all connections to a store have.
enum RowChecksum {
    /// Takes any number of values.
    static let function = "row_checksum"

    static func register(in db: GRDB.Database) {
        db.add(
            function: DatabaseFunction(function, pure: true) { values in
                var hash = SHA256()
                for value in values { add(value, to: &hash) }
                let bytes = Array(hash.finalize().prefix(8))
                return bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
            })
    }

    /// Adds a value with its type and length, so that no two rows of values have the same bytes.
    private static func add(_ value: DatabaseValue, to hash: inout SHA256) {
        func add(_ type: UInt8, _ bytes: some Collection<UInt8>) {
            var head: [UInt8] = [type]
            withUnsafeBytes(of: Int64(bytes.count).littleEndian) { head += $0 }
            hash.update(data: head)
            hash.update(data: Array(bytes))
        }
        switch value.storage {
        case .null: add(0, [])
        case .int64(let number): withUnsafeBytes(of: number.littleEndian) { add(1, Array($0)) }
        case .double(let number): withUnsafeBytes(of: number.bitPattern.littleEndian) { add(2, Array($0)) }
        case .string(let text): add(3, text.utf8)
        case .blob(let data): add(4, data)
        }
    }
}
