import FundCore

/// The cards of another server as they were read last: so that a server which is down while this program starts does
/// not take the people away from devices.
struct DirectoryCopy: Sendable {
    private static let name = "directory.cards"

    /// The store's folder of files that can be made again.
    let folder: String
    /// Address and user, in the first line of the file.
    private let owner: String

    private var path: String { "\(folder)/\(Self.name)" }

    init(folder: String, of server: CardServerConfiguration) {
        self.folder = folder
        let user = server.login?.user ?? ""
        owner = "\(ContentDigest.of(Array("\(server.address)\n\(user)".utf8)).hex)\n"
    }

    /// Nil where there is none, or one of another address or user.
    func read() -> [UInt8]? {
        guard let bytes = try? WholeFile.read(path, maxBytes: ContactLimits.maxFileBytes + owner.utf8.count),
            bytes.starts(with: owner.utf8)
        else { return nil }
        return Array(bytes.dropFirst(owner.utf8.count))
    }

    /// Throws `DiskError` and `CommandError`.
    func write(_ cards: [UInt8]) throws {
        try DiskDirectory.make(folder, isPrivate: true)
        try OutputFile.write(Array(owner.utf8) + cards, to: path)
    }
}
