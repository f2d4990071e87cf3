import FundCore
import Ingest

/// The kept mail of a report, grouped by reason, with the command that would mend each.
struct MisrouteReport {
    struct Entry {
        var record: MisrouteRecord
        /// A command that a person may paste into a shell; words in capitals are to be filled in.
        var fix: String
        /// Why it is held back, which names the malware; nil for one that is not.
        var quarantine: String?
    }

    /// Messages that one command puts right.
    struct Cause {
        /// Oldest first; at least one.
        var records: [MisrouteRecord]
        var fix: String
        /// Why all of them are held back; nil when they are not.
        var quarantine: String?
    }

    /// Key of a group: messages that were filed or put aside since stand apart.
    private struct Sort: Hashable {
        var cause: MisrouteCause
        var isResolved: Bool
        var quarantine: String?

        init(_ record: MisrouteRecord, _ quarantine: String?) {
            cause = MisrouteCause(record)
            isResolved = record.resolution != nil
            self.quarantine = quarantine
        }
    }

    struct Group {
        var reason: Reason
        var entries: [Entry]
        /// Most frequent first, then oldest first.
        var causes: [Cause]
    }

    var groups: [Group]
    /// Seconds since 1970, for ages.
    var now: Timestamp

    var count: Int { groups.reduce(0) { $0 + $1.entries.count } }

    /// `words` are the options that lead to the store, put into each suggested command; `quarantine` says by message
    /// why those that carry malware are held back.
    init(
        _ records: [MisrouteRecord], quarantine: [MisrouteRecord.ID: String], directory: RoutingDirectory,
        words: [String], now: Timestamp
    ) {
        let fix = MisrouteFix(directory: directory, words: words)
        let byReason = Dictionary(grouping: records, by: \.reason)
        groups = Reason.allCases.compactMap { reason in
            byReason[reason].map { records in
                let records = records.map { record in
                    var record = record
                    record.suggestions = Self.near(record, directory)
                    return record
                }
                let sorts = Dictionary(grouping: records) { Sort($0, quarantine[$0.id]) }
                let causes = sorts.map { Cause(records: $1, fix: fix.command(for: $1), quarantine: $0.quarantine) }
                    .sorted { ($0.records.count, $1.records[0].id) > ($1.records.count, $0.records[0].id) }
                return Group(
                    reason: reason,
                    entries: records.map {
                        Entry(record: $0, fix: fix.command(for: [$0]), quarantine: quarantine[$0.id])
                    },
                    causes: causes)
            }
        }
        self.now = now
    }

    /// Names of funds that are near what the subject says. The rules look at no tag of a sender who is not known: there
    /// it is the fund of that very name, with its owner.
    static func near(_ record: MisrouteRecord, _ directory: RoutingDirectory) -> [String] {
        guard record.reason == .unknownSender, record.suggestions.isEmpty, !record.isSenderUnproven else {
            return record.suggestions
        }
        return directory.funds(with: FilingOffers.funds(named: record.subject ?? "", directory)).map { fund in
            fund.name + (directory.user(fund.owner).map { " of \($0.email)" } ?? "")
        }.sorted()
    }

    /// A warning of mail that may be forged; nil for other mail.
    static func caution(_ record: MisrouteRecord) -> String? {
        guard record.isSenderUnproven else { return nil }
        return "No check confirmed the sender, who may be forged: put it aside, unless you know from another source "
            + "that it is genuine. Earlier mail of the address proves nothing."
    }

    /// Explanation of a reason for people.
    static func explanation(_ reason: Reason) -> String {
        switch reason {
        case .ambiguousSender: "The message names no sender or several."
        case .unknownSender: "Nobody is registered with the sender's address."
        case .disabledSender: "The sender is disabled."
        case .unverifiedSender: "The mail server did not confirm the sender's domain: ask the sender before assigning."
        case .ambiguousSubject: "Several Subject fields lead to different funds."
        case .noTag: "The subject has no [Fund]."
        case .unknownFund: "The sender has no fund of that name."
        case .ambiguousFund: "The tag fits two funds of the sender."
        case .overQuota: "There is no room left for the files of the fund's owner."
        case .tooLarge: "Larger than the limit; kept as it came."
        case .tooComplex: "Over a limit on parts, depth or headers; kept as it came."
        case .unparseable: "No parser could read it; kept as it came."
        case .autoReply: "An automatic answer or a bounce."
        case .loop: "One of our own receipts came back."
        case .bounce: "A letter that a person sent came back; its writer sees it at the letter."
        }
    }

    /// The subject, behind what became of the message and why it is held back.
    static func subject(_ record: MisrouteRecord, _ quarantine: String?) -> String {
        let notes = [resolution(record), quarantine, record.relay.map(relay)].compactMap { $0 }.map { "(\($0)) " }
        return notes.joined() + (record.subject ?? "")
    }

    /// Words for why nothing advises to register the sender.
    static func relay(_ relay: RelayedMail) -> String {
        let service =
            switch relay.kind {
            case .certified: "certified mail"
            case .group: "passed on by a group"
            case .journal: "a server's journal"
            }
        return service + (relay.author.map { ", written by \($0) as it says" } ?? "")
    }

    static func resolution(_ record: MisrouteRecord) -> String? {
        switch record.resolution {
        case .filed(let emailID): "filed as mail \(emailID)"
        case .rejected(let note): note.isEmpty ? "put aside" : "put aside: \(note)"
        case nil: nil
        }
    }
}
