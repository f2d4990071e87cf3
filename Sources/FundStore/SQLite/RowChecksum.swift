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
                var bytes: [UInt8] = []
                for value in values { append(value, to: &bytes) }
                return SHA256.hash(data: bytes).withUnsafeBytes {
                    Int64(littleEndian: $0.loadUnaligned(as: Int64.self))
                }
            })
    }

    /// Appends a value with its type and length, so that no two rows of values have the same bytes.
    private static func append(_ value: DatabaseValue, to bytes: inout [UInt8]) {
        func append(_ type: UInt8, _ content: some Collection<UInt8>) {
            bytes.append(type)
            withUnsafeBytes(of: Int64(content.count).littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: content)
        }
        switch value.storage {
        case .null: append(0, [])
        case .int64(let number): withUnsafeBytes(of: number.littleEndian) { append(1, $0) }
        case .double(let number): withUnsafeBytes(of: number.bitPattern.littleEndian) { append(2, $0) }
        case .string(let text): append(3, text.utf8)
        case .blob(let data): append(4, data)
        }
    }
}
