internal import Glibc
import FundCore

/// Segments of the store that stand under another name than their own, in `log/` or in `lost/`, while their places are
/// empty or hold something else. They are told by their salt, which their rows know.
struct MisplacedSegments {
    let log: StoreLog

    private var location: StoreLocation { log.connection.location }

    /// Places of such segments, as paths in the store. None where the rows cannot be read.
    func find() throws -> [SegmentNumber: String] {
        let wanted = try wanted()
        guard !wanted.isEmpty else { return [:] }
        let numbers = Dictionary(wanted.map { ($1, $0) }) { first, _ in first }
        var found: [SegmentNumber: Candidate] = [:]
        for candidate in try candidates(with: Set(numbers.keys)) {
            guard let number = numbers[candidate.salt], candidate.size > found[number]?.size ?? 0 else { continue }
            found[number] = candidate
        }
        return found.mapValues(\.path)
    }

    /// A file that has more of a segment than the one in its place, as a path in the store. It is not put there: it may
    /// be of a copy of the store that went another way.
    func longerCopy(of segment: any SegmentReader, than size: Int64) throws -> String? {
        try candidates(with: [segment.salt]).filter { $0.size > size }.max { $0.size < $1.size }?.path
    }

    private struct Candidate {
        /// Path in the store.
        var path: String
        /// Size in bytes.
        var size: Int64
        var salt: UInt64
    }

    /// Files in `log/` and `lost/` that are certain to be segments with these salts.
    private func candidates(with salts: Set<UInt64>) throws -> [Candidate] {
        let evidence = SegmentEvidence(salts: salts)
        return try [StoreLocation.logName, StoreLocation.lostName].filter { DiskFile.leadsToFolder(location.path($0)) }
            .flatMap { folder in
                try DiskDirectory.names(in: location.path(folder)).compactMap { name in
                    let path = "\(folder)/\(name)"
                    guard let size = DiskFile.size(of: location.path(path)),
                        let segment = try? SegmentFile.read(at: location.path(path), evidence: evidence),
                        segment.hasProvenSalt, salts.contains(segment.salt)
                    else { return nil }
                    return Candidate(path: path, size: size, salt: segment.salt)
                }
            }
    }

    /// Segments whose rows name records and whose places do not have them, with their salts.
    private func wanted() throws -> [SegmentNumber: UInt64] {
        let sql = "SELECT number, salt FROM segment WHERE live_bytes > 0 AND salt IS NOT NULL"
        let rows: [(SegmentNumber, Int64)] = try Database.readable(or: []) {
            try log.connection.read("look where segments stand") { db in try db.rows(sql) { ($0[0], $0[1]) } }
        }
        return try rows.reduce(into: [:]) { wanted, row in
            let salt = UInt64(bitPattern: row.1)
            do {
                guard try log.segments.read(row.0).salt != salt else { return }
            } catch is DiskError { return } catch is LogDamage {}
            wanted[row.0] = salt
        }
    }

    /// Gives the segments their names again, and says so. What stood in their places goes to `lost/`. When it is broken
    /// off in between, the next time goes on.
    func putBack() throws -> [VerifyFinding] {
        var sources = try find()
        guard !sources.isEmpty else { return [] }
        let origins = sources
        var displaced: [SegmentNumber: String] = [:]
        for number in origins.keys.sorted() {
            let place = number.nameInStore
            guard DiskFile.kind(of: location.path(place)) != nil else { continue }
            let moved = try location.moveToLost(place, owner: log.connection.owner)
            if let other = sources.first(where: { $0.value == place })?.key {
                sources[other] = moved
            } else {
                displaced[number] = moved
            }
        }
        let findings = sources.sorted(by: { $0.key < $1.key }).map { number, source in
            let code = rename(location.path(source), location.path(number.nameInStore)) == 0 ? 0 : errno
            log.reader.forget(number)
            let rest = displaced[number].map { "; what stood in its place is now \($0)" } ?? ""
            return VerifyFinding(
                kind: .damagedSegment, path: number.nameInStore, action: code == 0 ? .settled : .unrepairable,
                detail: code == 0
                    ? "it stood in \(origins[number] ?? source) and was put back\(rest)"
                    : "\(Self.hint(source)), but cannot be moved (\(SystemText.of(code))): copy it there")
        }
        try DiskFile.syncNames(in: location.log)
        return findings
    }

    /// Words for a segment that stands there.
    static func hint(_ path: String) -> String { "\(path) is this segment" }
}
