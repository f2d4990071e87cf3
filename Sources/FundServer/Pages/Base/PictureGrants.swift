internal import FundCore
internal import Synchronization

/// Addresses that show a mail, or an item of news, once with the pictures of other servers. Made by an act of the
/// reader, kept in memory.
final class PictureGrants: Sendable {
    /// From the act to the frame that loads: a slow network, no more.
    private static let lifetime = Duration.seconds(120)
    private static let maxOfUser = 16

    private struct Grant {
        var token: String
        var source: SanitizedMails.Source
        var expiry: ContinuousClock.Instant
    }

    private let grants = Mutex<[User.ID: [Grant]]>([:])

    /// A new token for the address.
    func make(for source: SanitizedMails.Source, of user: User.ID, at now: ContinuousClock.Instant = .now) -> String {
        let token = Base64.urlText(RandomBytes.make(32))
        grants.withLock { grants in
            grants = grants.compactMapValues { grants in
                let live = grants.filter { $0.expiry > now }
                return live.isEmpty ? nil : live
            }
            let own = (grants[user] ?? []).suffix(Self.maxOfUser - 1)
            grants[user] = own + [Grant(token: token, source: source, expiry: now + Self.lifetime)]
        }
        return token
    }

    /// Whether the token is good for this source and user, and was not used.
    func isGood(
        _ token: String?, for source: SanitizedMails.Source, of user: User.ID, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        guard let token else { return false }
        return grants.withLock { Self.index(of: token, source, in: $0[user], now) != nil }
    }

    /// Uses the token up. False when it is not good.
    func use(
        _ token: String?, for source: SanitizedMails.Source, of user: User.ID, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        guard let token else { return false }
        return grants.withLock { grants in
            guard let index = Self.index(of: token, source, in: grants[user], now) else { return false }
            grants[user]?.remove(at: index)
            return true
        }
    }

    private static func index(
        of token: String, _ source: SanitizedMails.Source, in grants: [Grant]?, _ now: ContinuousClock.Instant
    ) -> Int? {
        grants?.firstIndex {
            $0.source == source && $0.expiry > now && SecureBytes.areEqual(Array($0.token.utf8), Array(token.utf8))
        }
    }
}
