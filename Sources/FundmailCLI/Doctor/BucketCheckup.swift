import FundCore
import FundStore
import Terminal

/// Says what is in the bucket of a store, and tries what the store of objects can do.
enum BucketCheckup {
    /// Bytes on this disk only of which a bucket is behind: several segments.
    private static let manyBytes: Int64 = 256 << 20

    static func findings(_ bucket: StoreBucket, isOffline: Bool) async throws -> DoctorFindings {
        var findings = DoctorFindings()
        let status = try await bucket.status()
        findings.ok(
            .store,
            "bucket \(bucket.place.address): \(status.segments) segments, \(Quantity.display(bytes: status.bytes)); "
                + "\(status.alone) have no file here")
        let waiting = "on this disk only: \(BucketWords.waiting(status))"
        if status.waitingBytes > manyBytes {
            findings.warn(.store, "\(waiting); `fundmail serve` or `fundmail bucket put` puts them")
        } else {
            findings.ok(.store, waiting)
        }
        guard !isOffline else { return findings }
        do {
            try await bucket.check()
            let joining = try BucketJoining(bucket.place.address, environment: BucketEnvironment.current)
            for finding in joining.findings {
                if finding.isGood {
                    findings.ok(.store, "the bucket: \(finding.text)")
                } else {
                    findings.warn(.store, "the bucket: \(finding.text)")
                }
            }
        } catch { findings.fail(.store, CommandError(error)) }
        return findings
    }
}
