internal import FundCore
internal import Foundation

/// An entry as rclone lists it (`rclone lsjson`).
struct ListedEntry: Decodable {
    /// From the folder that was listed.
    var path: String
    private var name: String
    private var size: Int64?
    private var mediaType: String?
    private var modifiedAt: String?
    private var isFolder: Bool
    private var id: String?
    private var hashes: [String: String]?

    private enum CodingKeys: String, CodingKey {
        case path = "Path"
        case name = "Name"
        case size = "Size"
        case mediaType = "MimeType"
        case modifiedAt = "ModTime"
        case isFolder = "IsDir"
        case id = "ID"
        case hashes = "Hashes"
    }

    /// Nil for bytes that are none.
    static func read(_ json: some Sequence<UInt8>) -> ListedEntry? {
        try? JSONDecoder().decode(ListedEntry.self, from: Data(json))
    }

    /// - Parameter asked: the name that it was asked for by; nil for that of the listing.
    func entry(named asked: String? = nil) -> DriveEntry {
        let (name, id) = (asked ?? name, Self.short(id))
        let time = modifiedAt.flatMap(Self.time)
        guard !isFolder else {
            return DriveEntry(name: name, isFolder: true, modifiedAt: time, storeID: id)
        }
        let known = size.flatMap { $0 >= 0 ? $0 : nil }
        let hash = hashes?.filter { !$0.value.isEmpty }.min { $0.key < $1.key }
        return DriveEntry(
            name: name, isFolder: false, size: known, modifiedAt: time, storeID: id,
            version: Self.short(hash.map { "\($0.key):\($0.value)" } ?? modifiedAt.map { "\($0)/\(known ?? -1)" }),
            digest: hashes?["sha256"].flatMap(ContentDigest.init), contentType: Self.short(mediaType),
            hasChecksum: hash != nil)
    }

    /// A point in time as Go writes it (RFC 3339). Nil for another text, and for its zero time, which stands for one
    /// that the store does not tell.
    private static func time(_ text: String) -> Timestamp? {
        Timestamp(internet: text).flatMap { $0 < secondYear ? nil : $0 }
    }

    private static let secondYear = Timestamp(
        Int64(CivilDate(year: 2, month: 1, day: 1).daysSince1970 * CivilDate.secondsPerDay))

    /// Nil for a text that is longer than any that means something.
    private static func short(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count <= DriveEntry.maxTextBytes ? $0 : nil }
    }
}
