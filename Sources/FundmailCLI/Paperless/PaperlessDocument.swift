import FundCore

/// A document as a manifest of Paperless-ngx has it, as far as an import needs it. Names, texts and paths in it are
/// data that may be anything.
struct PaperlessDocument {
    /// A label by which documents are sorted there.
    enum Label: String, CaseIterable {
        case tag, correspondent
        case type = "documenttype"
        case path = "storagepath"
    }

    var id: Int64
    var title: String
    /// A date, or a date and time with its zone, by the version of Paperless.
    var created: String?
    var tags: [Int64] = []
    var correspondent: Int64?
    var documentType: Int64?
    var storagePath: Int64?
    /// Checksum of the original in hexadecimal digits: MD5, or SHA-256 in newer versions.
    var checksum: String?
    var archiveChecksum: String?
    var originalFileName: String?
    /// Path of the original, from the folder of the export; nil in an export without files.
    var file: String?
    /// Path of the archived PDF.
    var archive: String?
    var hasText = false
    /// Whether it lay in the trash.
    var isDeleted = false
    /// The document that it is a later version of.
    var root: Int64?

    /// The original, or the archived PDF where that is wanted and there.
    func source(archived: Bool) -> (path: String?, checksum: String?) {
        archived && archive != nil ? (archive, archiveChecksum) : (file, checksum)
    }

    /// Its title with the extension of a file in the export; without a title the name under which it came to Paperless.
    func fileName(of path: String) -> String {
        let exported = String(path.split(separator: "/").last ?? "")
        let suffix = FileNameParts(exported, maxSuffixBytes: 32).suffix
        let given = title.trimmed
        let original = originalFileName.map { FileNameParts($0).stem.trimmed } ?? ""
        let stem = !given.isEmpty ? given : !original.isEmpty ? original : FileNameParts(exported).stem
        return stem.lowercased().hasSuffix(suffix.lowercased()) ? stem : stem + suffix
    }

    /// The time for which it was made out; nil where that is none between the years 1 and 9999. A date alone is its
    /// noon in UTC, which is the same date in nearly all zones.
    var createdAt: Timestamp? {
        guard let created, let time = Timestamp(internet: created) ?? Timestamp(internet: created + "T12:00:00Z"),
            Self.years.contains(time)
        else { return nil }
        return time
    }

    private static let years: Range<Timestamp> = {
        let ends = [1, 10_000].map { year in
            Timestamp(Int64(CivilDate(year: year, month: 1, day: 1).daysSince1970 * CivilDate.secondsPerDay))
        }
        return ends[0]..<ends[1]
    }()
}
