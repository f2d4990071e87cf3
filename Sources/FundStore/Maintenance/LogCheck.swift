package import FundCore

/// Compares the records of a log with their own checksums, without any row.
enum LogCheck {
    /// Damage of a segment, one sentence each, and the count of records that are whole.
    ///
    /// - Parameter isKnown: whether a record was compared already.
    static func damages(
        in number: SegmentNumber, _ directory: LogDirectory, isKnown: (RecordLocation) -> Bool = { _ in false }
    ) throws -> (damages: [String], messages: Int, blobs: Int, bytes: Int64) {
        var found = (damages: [String](), messages: 0, blobs: 0, bytes: Int64(0))
        do {
            var scan = try LogScan(number, in: directory)
            if scan.hasDamagedOpening { found.damages.append("its first bytes have changed") }
            while let entry = try scan.next() {
                switch entry {
                case .damage(let damage): found.damages.append(damage.description)
                case .record(let record, let state):
                    let label = record.header.label
                    guard state != .dead, label.kind != .commit, !isKnown(record.location) else { continue }
                    do {
                        try record.verifyBlocks()
                        if state == .changed { found.damages.append(record.damage(.state).description) }
                        if label.kind == .message { found.messages += 1 } else { found.blobs += 1 }
                        found.bytes += label.contentBytes
                    } catch let damage as LogDamage { found.damages.append(damage.description) }
                }
            }
        } catch let damage as LogDamage { found.damages.append(damage.description) } catch let error as SpoolError {
            found.damages.append("\(error)")
        }
        return found
    }
}

extension StoreMaintenance {
    /// Whether there are segments, which can be checked without a database.
    package static func hasLog(at path: String) -> Bool {
        let location = StoreLocation(root: path)
        let segments = try? LogDirectory(path: location.log, temporary: location.temporary).segments()
        return segments?.isEmpty == false
    }

    /// Checks the log of a store whose database cannot be opened, by its own checksums; `problem` says why.
    package static func verifyLog(at path: String, without problem: StoreError) throws -> VerifyReport {
        let location = StoreLocation(root: path)
        let directory = LogDirectory(path: location.log, temporary: location.temporary)
        var report = VerifyReport()
        report.findings = [
            VerifyFinding(
                kind: .database, path: "fundmail.sqlite", digest: nil, action: .unrepairable,
                detail:
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
                        kind: .damagedSegment, path: "log/\(number.fileName)", digest: nil, action: .unrepairable,
                        detail: $0)
                }
            }
        }
        return report
    }
}
