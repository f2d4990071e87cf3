/// A number of the whole store that is another one after each repair that lost rows of scans. The cache of previews has
/// it, too: as long as the two differ, the verdicts there are of before the loss, and do not count.
struct ScanLoss: Hashable, Sendable {
    static let none = ScanLoss(number: 0)
    private static let name = "scan_loss"

    private let number: Int64

    private init(number: Int64) { self.number = number }

    /// That of a store, or of its cache of previews.
    static func of(_ db: Database) throws -> ScanLoss { ScanLoss(number: try Counter.value(name, db) ?? 0) }

    /// Another one than any before, also where an older number comes back with a backup.
    static func begin(_ db: Database) throws { try ScanLoss(number: .random(in: 1 ... .max)).note(db) }

    func note(_ db: Database) throws { try Counter.set(Self.name, number, db) }
}
