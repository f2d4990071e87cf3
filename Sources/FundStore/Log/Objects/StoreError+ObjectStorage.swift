internal import FundCore
internal import ObjectStorage

extension StoreError {
    /// A failure of the store of objects.
    init(_ error: ObjectStorageError, _ operation: String) {
        let code: Code = error.code == .full ? .outOfSpace : error.isTemporary ? .unreachable : .io
        self.init(code, operation, error.description)
    }
}
