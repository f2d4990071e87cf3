import FundCore
import PostgreSQLRoom

/// A row of a result of PostgreSQL.
struct PostgreSQLRow {
    let base: PostgreSQLResultRow

    var count: Int { base.result.columnCount }

    subscript<Value: SQLValue>(_ index: Int) -> Value {
        guard let value: Value = self[index] else { preconditionFailure("column \(index) is NULL") }
        return value
    }

    subscript<Value: SQLValue>(_ index: Int) -> Value? {
        do { return try base.value(index) } catch { preconditionFailure("\(error)") }
    }

    subscript<Value: SQLValue>(_ name: String) -> Value { self[index(of: name)] }
    subscript<Value: SQLValue>(_ name: String) -> Value? { self[index(of: name)] }

    func digest(_ index: Int) throws -> ContentDigest {
        guard let digest = try? base.value(index) as ContentDigest? else {
            throw StoreError(.corrupted, "read a digest", "a column holds no SHA-256")
        }
        return digest
    }

    func digest(_ name: String) throws -> ContentDigest { try digest(index(of: name)) }

    private func index(of name: String) -> Int {
        guard let index = base.result.column(named: name) else { preconditionFailure("there is no column \(name)") }
        return index
    }
}
