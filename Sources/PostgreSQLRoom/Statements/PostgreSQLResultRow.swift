/// A row of a result, which it keeps.
package struct PostgreSQLResultRow {
    package let result: PostgreSQLResult
    package let number: Int

    package init(_ result: PostgreSQLResult, _ number: Int) { (self.result, self.number) = (result, number) }

    /// The value of a column, from 0; nil for NULL. Throws `misuse` for a value of another type.
    package func value<Value: PostgreSQLValue>(_ column: Int) throws(PostgreSQLError) -> Value? {
        var isOther = false
        let value: Value? = result.withColumn(column, ofRow: number) { column in
            guard let column else { return nil }
            let value = Value(postgreSQL: column)
            isOther = value == nil
            return value
        }
        guard !isOther else {
            let type = result.type(ofColumn: column).number
            throw PostgreSQLError(.misuse, "read column \(column)", "type \(type) is no \(Value.self)")
        }
        return value
    }
}
