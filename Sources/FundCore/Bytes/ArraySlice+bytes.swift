extension ArraySlice<UInt8> {
    /// Gives the bytes to a closure that throws one kind of error, and returns what it returns. `withUnsafeBytes`
    /// itself forgets which error.
    package func withBytes<Value, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> Value) throws(E) -> Value {
        try withUnsafeBufferPointer { (bytes) throws(E) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
