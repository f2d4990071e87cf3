/// How much transactions see of each other (https://www.postgresql.org/docs/15/transaction-iso.html).
package enum TransactionIsolation: String, Sendable {
    /// Each statement sees what was committed before it.
    case readCommitted = "READ COMMITTED"
    /// All statements see one moment.
    case repeatableRead = "REPEATABLE READ"
    /// All statements see one moment, and transactions end as if one ran after the other, or fail with `conflict`.
    case serializable = "SERIALIZABLE"
}
