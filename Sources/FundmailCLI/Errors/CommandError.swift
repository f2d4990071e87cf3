import FundCore
import Ingest
import MailParse
import Terminal

extension ExitStatus {
    init(_ condition: ErrorCondition) {
        self =
            switch condition {
            case .input: .input
            case .configuration: .configuration
            case .unavailable: .unavailable
            case .busy: .temporary
            case .outOfSpace, .storage: .cannotCreate
            }
    }
}

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
        case is DiskError where error.condition == .outOfSpace:
            "No space is left (\(error)); make space and run the same command again."
        case is DiskError: "The store cannot be written: \(error)."
        case is ParserError: "\(error)."
        default: "\(error)"
        }
    }

    private static func phrase(_ error: StoreError) -> String {
        let sentence = sentence("\(error)")
        return switch error.code {
        case .held: "\(sentence); try again when it is done."
        case .outOfSpace: "No space is left: \(error); make space and run the same command again."
        case .notAStore, .rowsLost, .logLost, .newerVersion, .notFound, .alreadyExists, .invalid, .alreadyResolved,
            .conflict:
            "\(sentence)."
        case .overQuota: "\(sentence); make room or raise the limit, and run the same command again."
        case .tookTooLong: "\(sentence); try again."
        case .unreachable:
            "\(sentence). Nothing was changed. Run the same command again once it answers."
        case .uncertain: "\(sentence). Run the same command again: what is done already is found."
        case .stale: "\(sentence); run the same command again."
        case .corrupted:
            "\(sentence); `fundmail verify` says what is damaged, and `fundmail verify --repair --backup DIR` mends "
                + "it. Where the database cannot be opened at all, \(withoutRepair)."
        default: "\(sentence); check the disk and the rights on the store."
        }
    }

    private static let withoutRepair =
        "bring the newest backup back (`fundmail restore`); without one make it anew from the log (`fundmail rebuild "
        + "--people FILE.csv`), or get mail and files out (`fundmail salvage`)"

    /// The error of a repair that damage has stopped: to repair is no advice.
    init(stoppingRepair error: StoreError) {
        self.init(
            ExitStatus(error.condition),
            "\(Self.sentence("\(error)")); this repair could not go on. Try it with another backup; else "
                + "\(Self.withoutRepair).")
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
