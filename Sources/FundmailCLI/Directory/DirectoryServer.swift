internal import MailConnection
import FundCore
import Logging
import MailFetch
import MailWatch
import Terminal

/// The directory in an address book of another server (CardDAV). What changed is read every few minutes.
struct DirectoryServer: DirectorySource {
    static let period = Duration.seconds(300)
    /// Time limit of one look. What was read until then stays, and the next look goes on from there.
    private static let limit = Duration.seconds(600)

    let server: CardServerConfiguration
    private let copy: DirectoryCopy?
    private let cancellation: Cancellation
    private let logger: Logger
    private var book = CardBook()
    /// Whether the address book as it is was given.
    private var isGiven = false
    /// Expiry of the server's certificate, by the last look; nil without TLS.
    private(set) var certificateExpiry: Timestamp?

    /// - Parameter copy: nil keeps none.
    init(_ server: CardServerConfiguration, copy: DirectoryCopy?, cancellation: Cancellation, logger: Logger) {
        (self.server, self.copy, self.cancellation, self.logger) = (server, copy, cancellation, logger)
    }

    var name: String { "\(server.address)" }

    func kept() -> CompanyDirectory? { copy?.read().flatMap { try? CompanyDirectory(cards: $0) } }

    mutating func look() throws -> CompanyDirectory? {
        let wasGiven = isGiven
        isGiven = false
        let hasChanged = try update()
        guard hasChanged || !wasGiven else {
            isGiven = true
            return nil
        }
        guard let cards = book.file else {
            throw CommandError(.configuration, "it has more than \(ContactLimits.maxFileBytes) bytes without pictures")
        }
        var directory = try CompanyDirectory(cards: cards)
        directory.hasLeftOut = directory.hasLeftOut || book.hasLeftOut
        isGiven = true
        do { try copy?.write(cards) } catch {
            logger.warning("the directory's people are not kept for the next start: \(CommandError(error).message)")
        }
        return directory
    }

    func failure(_ error: any Error) -> CommandError { CommandError(error, at: server) }

    private mutating func update() throws -> Bool {
        let session = try WebSession(
            identity: try server.identity(cancellation), caFile: server.caFile,
            limits: WebLimits(maxBodyBytes: CardServer.maxAnswerBytes), cancellation: cancellation)
        let cards = CardServer(until: .now + Self.limit) { request throws(ConnectionError) in
            try session.answer(to: request)
        }
        defer { certificateExpiry = session.certificateExpiry }
        return try CardClient(server: cards, address: server.address).update(&book)
    }
}
