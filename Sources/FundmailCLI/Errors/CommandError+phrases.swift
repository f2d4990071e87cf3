import FundCore
import Ingest
import MailFetch
import MailParse

extension CommandError {
    /// Phrases any error for people, with what to do next. Where an error says what it means, the exit status follows.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as IngestError: self.init(error.underlying)
        case let error as any OperationalError: self.init(ExitStatus(error.condition), Self.phrase(error))
        case is CancellationError: self.init(.temporary, "The run was interrupted; run the same command again.")
        default: self.init(.software, "Something went wrong that should not: \(error). Please report it.")
        }
    }

    private static func phrase(_ error: any OperationalError) -> String {
        switch error {
        case let error as StoreError: phrase(error)
        case is SpoolError where error.condition == .outOfSpace:
            "No space is left (\(error)); make space and run the same command again."
        case is SpoolError: "The store cannot be written: \(error)."
        case is ParserError: "\(error)."
        default: "\(error)"
        }
    }

    private static func phrase(_ error: StoreError) -> String {
        let sentence = sentence("\(error)")
        return switch error.code {
        case .held: "\(sentence); try again when it is done."
        case .outOfSpace: "No space is left: \(error); make space and run the same command again."
        case .notAStore, .newerVersion, .notFound, .alreadyExists, .invalid, .alreadyResolved: "\(sentence)."
        case .tookTooLong: "\(sentence); try again."
        case .stale: "\(sentence); run the same command again."
        case .corrupted:
            "\(sentence); run `fundmail verify` to see what is damaged; "
                + "if that cannot read it either, bring fundmail.sqlite back from a backup."
        default: "\(sentence); check the disk and the rights on the store."
        }
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
