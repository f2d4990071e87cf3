/// Fingerprints that an earlier version of this program made.
package enum FingerprintRevision {
    /// Of `ContentFingerprint`; a store notes the one that its rows have.
    package static let present = 2

    /// The present fingerprint of the message in a file; nil when revision 1 gives the same, which the header shows.
    /// Throws `SpoolError` when the file cannot be read.
    package static func changed(inFile path: String) throws -> ContentDigest? {
        var fingerprint = ContentFingerprint()
        do {
            try FileBytes.read(path) { bytes in
                fingerprint.update(bytes)
                if fingerprint.isRevised == false { throw Same() }
            }
        } catch is Same {
            return nil
        }
        let (present, former) = fingerprint.finalize()
        return former == nil ? nil : present
    }

    /// Ends the reading.
    private struct Same: Error {}
}
