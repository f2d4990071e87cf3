internal import FundCore
internal import Foundation

/// The room of a store as rclone tells it (`rclone about --json`).
enum SpaceAnswer {
    private struct Fields: Decodable {
        var total: Int64?
        var used: Int64?
        var free: Int64?
    }

    /// Empty for bytes that say nothing of it.
    static func read(_ json: [UInt8]) -> DriveSpace {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(json)) else { return DriveSpace() }
        func known(_ count: Int64?) -> Int64? { count.flatMap { $0 >= 0 ? $0 : nil } }
        return DriveSpace(total: known(fields.total), used: known(fields.used), free: known(fields.free))
    }
}
