/// Result of `verify`.
package struct VerifyReport: Sendable, Hashable {
    package var findings: [VerifyFinding] = []
    package var rawMessages = 0
    package var blobs = 0
    package var bytes: Int64 = 0

    /// Whether nothing is wrong, or everything was mended.
    package var isSound: Bool { !findings.contains { $0.action == .reported || $0.action == .unrepairable } }
}

/// Progress of a long check.
package struct VerifyProgress: Sendable, Hashable {
    /// Count of raw messages and files.
    package var done: Int
    package var total: Int
    package var bytes: Int64
}
