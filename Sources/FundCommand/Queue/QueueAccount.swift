import Foundation
import FundClient

extension GlobalOptions {
    /// The catalogue of the account on this machine. Needs no network.
    func catalogue() throws -> Catalogue { try Catalogue(in: Self.dataFolder(of: try choice.entry().account)) }

    /// The queue of the account. Needs no network.
    func queue() throws -> TransferQueue { TransferQueue(of: try catalogue()) }

    /// `$XDG_DATA_HOME/fund/…`, or `~/.local/share/fund/…`.
    static func dataFolder(of account: Account) -> String {
        let environment = ProcessInfo.processInfo.environment
        let base =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share"
        return "\(base)/fund/\(account.key)"
    }
}
