import FundCore
import Terminal

/// A place from which the company's directory is read again and again.
protocol DirectorySource: Sendable {
    /// Pause after a look that went well.
    static var period: Duration { get }

    /// For logs and findings: the path or the address.
    var name: String { get }

    /// The people whom an earlier run of the program read; nil where none are kept.
    func kept() -> CompanyDirectory?

    /// The directory when it changed since the last look that went well; nil when it did not. Blocks.
    mutating func look() throws -> CompanyDirectory?

    /// The meaning of an error of `look`, and what to do next.
    func failure(_ error: any Error) -> CommandError
}

extension DirectorySource {
    func kept() -> CompanyDirectory? { nil }

    func failure(_ error: any Error) -> CommandError { CommandError(error) }
}

extension CompanyDirectory {
    /// Reads the cards of a source. Throws `CommandError`, whose words go on after its name.
    init(cards: [UInt8]) throws {
        do { self = try CompanyDirectory(cards) } catch {
            throw CommandError(.configuration, error.words)
        }
    }
}
