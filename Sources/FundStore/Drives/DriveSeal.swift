import FundCore

/// Seals the settings of drives for the database. A row that is moved to another drive or user does not open.
struct DriveSeal: Sendable {
    private let seal: ContextSeal

    init(serverKey: [UInt8]) { seal = ContextSeal(serverKey: serverKey, purpose: "fundmail drives") }

    func seal(_ settings: DriveSettings, of drive: Drive.ID, _ user: User.ID) throws -> [UInt8] {
        // Names and values hold no control characters; a token is what a store gave, so it stands last.
        let lines =
            [settings.kind.rawValue] + settings.values.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)" }
        let text = lines.joined(separator: "\n") + (settings.token.map { "\n\n" + $0 } ?? "")
        return try seal.seal(Array(text.utf8), in: Self.context(drive, user))
    }

    /// Throws `DriveError` with `.login` when they were sealed under another key or in another row, and `.settings`
    /// when no such drive can be added any more.
    func open(_ sealed: [UInt8], of drive: Drive.ID, _ user: User.ID) throws -> DriveSettings {
        guard let plain = seal.open(sealed, in: Self.context(drive, user)) else {
            throw DriveError(.login, "its secrets were sealed under another server.key: enter them again")
        }
        let text = Substring(decoding: plain, as: UTF8.self)
        let end = text.firstRange(of: "\n\n")
        let lines = text[..<(end?.lowerBound ?? text.endIndex)].split(separator: "\n")
        guard let kind = lines.first.flatMap({ DriveKind(rawValue: String($0)) }) else {
            throw DriveError(.settings, "its kind is unknown to this version")
        }
        let values = lines.dropFirst().map { $0.split(separator: "\t", maxSplits: 1).map(String.init) }
        return try DriveSettings(
            kind, Dictionary(values.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 },
            token: end.map { String(text[$0.upperBound...]) })
    }

    private static func context(_ drive: Drive.ID, _ user: User.ID) -> [UInt8] {
        [drive.rawValue, user.rawValue].flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    }
}
