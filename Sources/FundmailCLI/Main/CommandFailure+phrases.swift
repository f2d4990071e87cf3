import FundStore
import FundCore
import Ingest
import MailFetch
import MailParse

extension CommandFailure {
    /// Says for people what an error of any part means and what to do next; the exit status follows from it.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ConfigurationError: self.init(.configuration, "\(error)")
        case let error as StoreError: self.init(error)
        case let error as IngestFailure: self.init(error.underlying)
        case let error as SpoolError where error.isOutOfSpace:
            self.init(.cannotCreate, "No space is left (\(error)); make space and run the same command again.")
        case let error as SpoolError: self.init(.cannotCreate, "The store cannot be written: \(error).")
        case let error as SourceError: self.init(.input, "\(error)")
        case let error as ParserError:
            self.init(error.code == .cannotStart ? .unavailable : .cannotCreate, "\(error.description).")
        case is CancellationError: self.init(.temporary, "The run was interrupted; run the same command again.")
        default: self.init(.software, "Something went wrong that should not: \(error). Please report it.")
        }
    }

    private init(_ error: StoreError) {
        let sentence = Self.sentence("\(error)")
        switch error.code {
        case .held: self.init(.temporary, "\(sentence); try again when it is done.")
        case .outOfSpace:
            self.init(.cannotCreate, "No space is left: \(error); make space and run the same command again.")
        case .notAStore, .newerVersion: self.init(.configuration, "\(sentence).")
        case .notFound, .alreadyExists, .invalid, .alreadyResolved: self.init(.input, "\(sentence).")
        case .tookTooLong: self.init(.temporary, "\(sentence); try again.")
        case .stale: self.init(.temporary, "\(sentence); run the same command again.")
        case .corrupted:
            self.init(
                .cannotCreate,
                "\(sentence); run `fundmail verify` to see what is damaged; "
                    + "if that cannot read it either, bring fundmail.sqlite back from a backup.")
        default: self.init(.cannotCreate, "\(sentence); check the disk and the rights on the store.")
        }
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
