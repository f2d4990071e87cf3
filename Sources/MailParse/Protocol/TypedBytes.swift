extension Array<UInt8> {
    /// The bytes of a range, for a closure that throws one kind of error: `withUnsafeBytes` itself forgets which.
    func withBytes<Value, E: Error>(
        of range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(E) -> Value
    ) throws(E) -> Value {
        try withUnsafeBytes { bytes in
            Result { () throws(E) in try body(UnsafeRawBufferPointer(rebasing: bytes[range])) }
        }.get()
    }
}
