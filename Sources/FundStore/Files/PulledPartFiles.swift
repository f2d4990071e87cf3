internal import Glibc
import FundCore

/// The files of `PulledPart`s: large records in `tmp` with names that tell transfer, path and state, and the start of
/// the machine, which alone has all the bytes that were written. Their sizes say how much came. A part loses its name
/// when it becomes a segment: what stands under one got no row.
struct PulledPartFiles: Sendable {
    private let log: StoreLog

    init(_ log: StoreLog) { self.log = log }

    private var folder: String { log.connection.location.temporary }

    private static func hash(_ texts: String...) -> String {
        ContentDigest.of(texts.joined(separator: "\0").utf8).hex
    }

    /// The record of a part; nil while another process has it open.
    /// - Parameters:
    ///   - name: see `RecordHeader.Label`.
    ///   - consume: gets the bytes that came before.
    func record(
        of part: PulledPart, named name: String, _ consume: (UnsafeRawBufferPointer) -> Void
    ) throws -> LargeRecord? {
        let ofPath = "\(part.transfer.rawValue)-\(Self.hash("\(part.path)").prefix(32))-"
        let prefix = StoreLocation.pulledPartPrefix + ofPath
        let file = prefix + Self.hash(part.state, UploadRows.boot).prefix(32)
        for other in try DiskDirectory.names(in: folder) where other.hasPrefix(prefix) && other != file {
            _ = remove(other)
        }
        let (path, salt) = ("\(folder)/\(file)", UInt64.random(in: .min ... .max))
        let label = RecordHeader.Label(kind: .blob, digest: .of([]), contentBytes: 0, time: .now, origin: name)
        do {
            return try LargeRecord(resuming: path, label, salt: salt, upTo: part.size, .untilSegment, consume)
        } catch let error as StoreError where error.code == .notFound {
            return try LargeRecord(path, owner: log.connection.owner, label, salt: salt, .untilSegment)
        } catch let error as StoreError where error.code == .held { return nil }
    }

    /// Removes the parts of transfers that have ended or are gone. Returns how many files went.
    func sweep() throws -> Int {
        let prefix = StoreLocation.pulledPartPrefix
        let names = try DiskDirectory.names(in: folder).filter { $0.hasPrefix(prefix) }
        guard !names.isEmpty else { return 0 }
        let waiting: [DriveTransfer.ID] = try log.connection.read("look for parts of files of drives") {
            try $0.values("SELECT id FROM drive_transfer WHERE ended_at IS NULL")
        }
        let needed = Set(waiting.map { "\($0.rawValue)" })
        return names.count { name in
            !needed.contains(String(name.dropFirst(prefix.count).prefix { $0 != "-" })) && remove(name)
        }
    }

    /// False where a process has it open.
    private func remove(_ name: String) -> Bool {
        let path = "\(folder)/\(name)"
        guard let hold = try? LargeRecord.Hold(path), hold.isThere else { return false }
        return withExtendedLifetime(hold) { unlink(path) == 0 }
    }
}
