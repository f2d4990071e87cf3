/// Bytes by which their place in a file can be told: pieces of it continue each other.
/// They are written in place: in a debug build a closure for each byte takes most of a test's time.
///
/// - Parameter first: offset of the first one.
package func patternBytes(_ count: Int, from first: Int = 0) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
        var index = 0
        while index < count {
            buffer[index] = UInt8(truncatingIfNeeded: (first &+ index) &* 31 &+ (first &+ index) >> 8)
            index &+= 1
        }
        written = count
    }
}

/// Bytes that are the same for the same seed (xorshift64*).
package func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
        var index = 0
        while index < count {
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            buffer[index] = UInt8(truncatingIfNeeded: state &* 0x2545_F491_4F6C_DD1D >> 32)
            index &+= 1
        }
        written = count
    }
}
