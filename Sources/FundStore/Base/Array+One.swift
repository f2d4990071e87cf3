import FundCore

extension Array {
    /// The item that was looked for. Throws `notFound` where there is none.
    func one(_ operation: String, _ detail: String) throws -> Element {
        guard let first else { throw StoreError(.notFound, operation, detail) }
        return first
    }
}
