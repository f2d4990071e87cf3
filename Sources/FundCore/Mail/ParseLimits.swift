/// Limits of the cost of parsing one message; over a limit it is refused and kept raw. Some are Postfix's
/// (postconf(5)).
package struct ParseLimits: Sendable, Hashable {
    /// Bytes of a whole message as transported. GMime counts in `guint`, so never 2 GiB or more.
    package var maxMessageBytes: Int64 = 100_000_000
    /// Leaves of a message, those of nested messages and unpacked files included.
    package var maxParts = 1000
    /// Nesting of multiparts and messages. GMime's cost grows with depth × boundary lines.
    package var maxDepth = 30
    /// Fields in one header.
    package var maxHeaderFields = 500
    /// Bytes of one header.
    package var maxHeaderBytes = 512 * 1024
    /// Bytes of one field: 1,000 recipients, as Exchange allows, with encoded names of 200 bytes each.
    package var maxFieldBytes = 256 * 1024
    /// Colons in one address field: each of 1,000 recipients may have one in its name. GMime recurses once for each
    /// group, and 2,500 overflow a 512 KiB stack; the one it runs on has 16 MiB.
    package var maxAddressColons = 2000
    /// Bytes of a boundary (RFC 2046 §5.1.1 allows 70; Postfix 2048).
    package var maxBoundaryBytes = 2048
    /// Wall-clock seconds that one message may take in the child, and, watched apart, CPU seconds: 10 s and one more
    /// for each 10 MB, since the least machine decodes far more than 10 MB a second.
    package func maxSeconds(forBytes size: Int64) -> Double { 10 + Double(size) / 10_000_000 }

    package init() {}
}
