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
        let time = modifiedAt.flatMap(ListedTime.init)
        guard !isFolder else {
            return DriveEntry(name: name, isFolder: true, modifiedAt: time?.timestamp, storeID: id)
        }
        let known = size.flatMap { $0 >= 0 ? $0 : nil }
        let hash = hashes?.filter { !$0.value.isEmpty }.min { $0.key < $1.key }
        return DriveEntry(
            name: name, isFolder: false, size: known, modifiedAt: time?.timestamp, storeID: id,
            version: Self.short(hash.map { "\($0.key):\($0.value)" } ?? modifiedAt.map { "\($0)/\(known ?? -1)" }),
            digest: hashes?["sha256"].flatMap(ContentDigest.init), contentType: Self.short(mediaType),
            hasChecksum: hash != nil)
    }

    /// Nil for a text that is longer than any that means something.
    private static func short(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count <= DriveEntry.maxTextBytes ? $0 : nil }
    }
}

/// A point in time as Go writes it (RFC 3339).
struct ListedTime {
    let timestamp: Timestamp

    private static let secondsOfDay: Int64 = 86400

    /// Nil for another text. Fractions of a second do not count.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? { range.upperBound <= bytes.count ? ASCII.number(bytes[range]) : nil }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), hour < 24, minute < 60, second <= 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        // Go's zero time, for what the store tells no time of.
        guard date.exists, year > 1 else { return nil }
        let zone = bytes[19...].drop { $0 == .dot || ASCII.isDigit($0) }
        var offset = 0
        if zone.count == 6, let hours = ASCII.number(zone.dropFirst().prefix(2)),
            let minutes = ASCII.number(zone.suffix(2))
        {
            offset = (hours * 3600 + minutes * 60) * (zone.first == .hyphen ? -1 : 1)
        } else if !zone.elementsEqual("Z".utf8) {
            return nil
        }
        let seconds = hour * 3600 + minute * 60 + second - offset
        timestamp = Timestamp(Int64(date.daysSince1970) * Self.secondsOfDay + Int64(seconds))
    }
}
