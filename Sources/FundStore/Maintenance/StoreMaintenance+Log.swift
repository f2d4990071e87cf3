package import FundCore

extension StoreMaintenance {
    /// Whether there are segments, which can be checked without a database.
    package static func hasLog(at path: String) -> Bool {
        let segments = try? LogDirectory(of: StoreLocation(root: path)).segments()
        return segments?.isEmpty == false
    }

    /// Checks the log of a store whose database cannot be opened, by its own checksums; `problem` says why.
    package static func verifyLog(at path: String, without problem: StoreError) throws -> VerifyReport {
        let location = StoreLocation(root: path)
        let directory = LogDirectory(of: location)
        var report = VerifyReport()
        report.findings = [
            VerifyFinding(
                rows: .database, .unrepairable,
                "\(problem.detail); the segments were compared with their own checksums. `fundmail restore` brings "
                    + "the newest backup's database back, `fundmail rebuild` makes one from the log")
        ]
        try StoreError.wrapping("verify the log") {
            for number in try directory.segments() {
                let found = try LogCheck.damages(in: number, directory)
                report.rawMessages += found.messages
                report.blobs += found.blobs
                report.bytes += found.bytes
                report.findings += found.damages.map {
                    VerifyFinding(
                        kind: .damagedSegment, path: number.nameInStore, digest: nil, action: .unrepairable,
                        detail: $0)
                }
            }
        }
        return report
    }
}
