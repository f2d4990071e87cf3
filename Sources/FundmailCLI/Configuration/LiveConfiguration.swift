import FundCore
import MailWatch
import Synchronization

/// The configuration of a program that keeps running: what it was started with, changed by what was reloaded since.
final class LiveConfiguration: Sendable {
    private let current: Mutex<Configuration>

    init(_ configuration: Configuration) { current = Mutex(configuration) }

    var value: Configuration { current.withLock { $0 } }

    /// Result of a reload, in words for the log.
    struct Changes: Sendable, Equatable {
        /// Changes that hold from now on.
        var applied: [String] = []
        /// Changes that hold from the next start on.
        var pending: [String] = []
    }

    /// Takes over what can change in a running program: mailboxes, the server for letters, the hour of digests, whether
    /// there are links and news, routing, limits, room for files, retention, the certificate, who must have a second
    /// factor, profiles of devices, the directory.
    func take(_ new: Configuration) -> Changes {
        current.withLock { current in
            let (merged, changes) = Self.merge(new, into: current)
            current = merged
            return changes
        }
    }

    /// The configuration that `take` would use, and its changes.
    static func merge(_ new: Configuration, into old: Configuration) -> (merged: Configuration, changes: Changes) {
        var merged = new
        var changes = Changes()
        changes.applied = mailboxChanges(from: old.mailboxes, to: new.mailboxes)
        if new.smtp != old.smtp { changes.applied.append("smtp") }
        if let smtp = new.smtp, smtp.limits != (old.smtp?.limits ?? .usual) {
            changes.pending.append("smtp: per_hour, per_recipient")
        }
        if new.digestHour != old.digestHour { changes.applied.append("digests") }
        if new.links != old.links { changes.applied.append("links") }
        if new.news != old.news { changes.applied.append("news") }
        if new.routing != old.routing { changes.applied.append("routing") }
        if new.limits != old.limits { changes.applied.append("limits") }
        if new.directory != old.directory { changes.applied.append("directory") }
        if new.profiles != old.profiles { changes.applied.append("profiles") }
        if new.quota != old.quota { changes.applied.append("quota") }
        if new.retention != old.retention { changes.applied.append("retention") }
        if new.store != old.store { changes.pending.append("store") }
        if new.previews != old.previews { changes.pending.append("previews") }
        if new.scan != old.scan { changes.pending.append("scan") }
        if new.webhooks != old.webhooks { changes.pending.append("webhooks") }
        (merged.store, merged.webhooks) = (old.store, old.webhooks)
        (merged.previews, merged.scan) = (old.previews, old.scan)
        // Compared without the certificate's files, which can change while the server runs.
        var (before, after) = (old.server ?? ServerConfiguration(), new.server ?? ServerConfiguration())
        merged.server = old.server
        if let tls = after.tls, let known = before.tls {
            if tls != known { changes.applied.append("server: tls") }
            merged.server?.tls = tls
            (before.tls, after.tls) = (nil, nil)
        }
        if after.secondFactor != before.secondFactor {
            changes.applied.append("server: second_factor")
            merged.server = merged.server ?? ServerConfiguration()
            merged.server?.secondFactor = after.secondFactor
            before.secondFactor = after.secondFactor
        }
        changes.pending += serverChanges(from: before, to: after)
        return (merged, changes)
    }

    private static func mailboxChanges(from old: [MailboxConfiguration], to new: [MailboxConfiguration]) -> [String] {
        let before = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
        let after = Set(new.map(\.name))
        return new.compactMap { mailbox in
            guard let known = before[mailbox.name] else { return "mailbox \(mailbox.name) added" }
            return known == mailbox ? nil : "mailbox \(mailbox.name) changed"
        } + old.filter { !after.contains($0.name) }.map { "mailbox \($0.name) removed" }
    }

    private static func serverChanges(from old: ServerConfiguration, to new: ServerConfiguration) -> [String] {
        let keys: [(key: String, isSame: Bool)] = [
            ("listen", old.host == new.host && old.port == new.port),
            ("tls", old.tls == new.tls && old.isPlainAllowed == new.isPlainAllowed),
            ("behind_proxy", old.isBehindProxy == new.isBehindProxy),
            ("public_url", old.publicURL == new.publicURL),
            (
                "tokens",
                old.mobileTokenSeconds == new.mobileTokenSeconds && old.webTokenSeconds == new.webTokenSeconds
            ),
        ]
        let changed = keys.filter { !$0.isSame }.map { "server: \($0.key)" }
        // A changed setting that this list lacks must still be reported.
        return changed.isEmpty && old != new ? ["server"] : changed
    }
}
