internal import FundCore

/// The room that a person's files take, in words and as a bar.
struct StorageText {
    let words: Words
    let formats: Formats

    /// - Parameter limit: bytes; nil for no limit.
    func model(_ used: Int64, of limit: Int64?) -> PageModel {
        guard let limit else {
            return ["roomText": words("room.used", formats.size(used)), "isBounded": false, "isNearlyFull": false]
        }
        return [
            "roomText": words("room.of", formats.size(used), formats.size(limit)),
            "isBounded": true, "roomUsed": "\(min(max(used, 0), limit))", "room": "\(max(limit, 1))",
            "isNearlyFull": StorageLimits.isNearlyFull(used, of: limit),
        ]
    }
}
