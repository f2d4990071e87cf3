internal import FundCore
internal import ObjectStorage

extension StoreError {
    /// A failure of the store of objects.
    init(_ error: ObjectStorageError, _ operation: String) {
        let code: Code =
            switch error.code {
            case .full: .outOfSpace
            case .address: .invalid
            case .noKey, .refused, .untrusted, .elsewhere, .noBucket: .unreachable
            default: error.isTemporary ? .unreachable : .io
            }
        self.init(code, operation, error.description)
    }
}
