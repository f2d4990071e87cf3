internal import MailConnection
import DriveBridge
import FundCore
import FundPreview
import Ingest
import MailFetch
import MailSend
import MailWatch

/// `fundmail.yaml`, decoded. Paths are absolute or relative to the working directory; they were relative to the file.
struct Configuration: Sendable, Hashable {
    /// The file it was read from; nil when only `--store` was given.
    var file: String?
    var store: String
    var mailboxes: [MailboxConfiguration] = []
    /// The rules for mail of no mailbox, which an administrator vouches for. Each mailbox has its own trust.
    var routing = RoutingPolicy(trust: .vouched)
    var limits = ParseLimits()
    /// The most that people's files may take.
    var quota = StorageLimits.none
    var retention = Retention()
    var server: ServerConfiguration?
    /// Nil: none are made.
    var previews: PreviewConfiguration? = PreviewConfiguration()
    /// Nil: no letter goes out.
    var smtp: SMTPConfiguration?
    /// Hour of the day at which daily digests are due, by the clock of this machine.
    var digestHour = DigestSchedule.usualHour
    /// Whether people share by links that need no account.
    var links = true
    /// Whether people read feeds, and they are fetched.
    var news = true
    /// Profiles that set up people's devices.
    var profiles = ProfileConfiguration()
    /// The company's directory of people; nil without one.
    var directory: DirectoryConfiguration?
    /// People's cloud stores; nil while they are off.
    var drives: DriveRules?
    /// Addresses of people's webhooks; nil while they are off.
    var webhooks: WebhookRules? = WebhookRules()
    /// Nil: nothing looks for malware in files.
    var scan: ScanConfiguration?
    /// Warnings about settings that are allowed: shown by `doctor` and logged.
    var warnings: [String] = []

    /// The rules for a kept message: the trust of its mailbox, or where that is gone the one it came by.
    func policy(for reference: SourceReference, trust: TrustPolicy) -> RoutingPolicy {
        reference.mailbox.flatMap { mailbox(named: $0) }?.policy(routing) ?? routing.trusting(trust)
    }

    /// Whose mail is answered. Nil when no letter goes out.
    var receipts: ReceiptPolicy? {
        guard let smtp else { return nil }
        let own = mailboxes.map(\.server.user) + [smtp.from.address.description]
        return ReceiptPolicy(ownAddresses: Set(own.compactMap { EmailAddress($0) }))
    }

    /// The places to which letters lead.
    var letterPlaces: LetterPlaces {
        LetterPlaces(
            pages: server?.publicURL, maxMessageBytes: limits.maxMessageBytes,
            subaddressSeparator: routing.subaddressSeparator.isEmpty ? nil : routing.subaddressSeparator)
    }

    /// To what people write: the login name of the first mailbox that has an address as its name.
    var mailAddress: String? { mailboxes.lazy.map(\.server.user).first { EmailAddress($0) != nil } }

    func mailbox(named name: String) -> MailboxConfiguration? { mailboxes.first { $0.name == name } }
}

/// The malware scanner, and the treatment of files that it has not looked at.
struct ScanConfiguration: Sendable, Hashable {
    /// Path of the socket of clamd(8).
    var socket: String
    /// No user gets a file before there is a verdict of it.
    var holdsUnscanned = false
    /// Time limit of one scan: longer than clamd's own `MaxScanTime` (default: 120 s), so that clamd reports first.
    var limitSeconds = 150
}

/// How long raw messages of filed mail stay. Misrouted mail always stays.
struct Retention: Sendable, Hashable {
    /// Days after filing; nil keeps them for good.
    var rawDays: Int?
    /// Days for which what users delete can be restored; nil for good.
    var deletedDays: Int? = 30
}

/// Where the HTTP server listens and what it is called from outside.
struct ServerConfiguration: Sendable, Hashable {
    var host = "127.0.0.1"
    var port = 8080
    var tls: Certificate?
    /// `tls: off` was written out.
    var isPlainAllowed = false
    /// Only a proxy in front of it reaches it, so what that says about clients counts.
    var isBehindProxy = false
    /// Without a slash at the end.
    var publicURL: String?
    /// The people who must have a second factor besides the password.
    var secondFactor = SecondFactorRule.none
    /// For how long a token is good after its last use.
    var mobileTokenSeconds = 3600
    var webTokenSeconds = 12 * 3600

    var isLoopback: Bool { IPAddress.isLoopback(host: host) }

    /// The host and the port of `127.0.0.1:8080`, also of `[::1]:8080`; nil for other text.
    static func place(_ text: String) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port), colon != text.startIndex
        else { return nil }
        return (text[..<colon].filter { $0 != "[" && $0 != "]" }, port)
    }

    struct Certificate: Sendable, Hashable {
        var certificateFile: String
        var keyFile: String
    }
}

/// Previews of files.
struct PreviewConfiguration: Sendable, Hashable {
    /// Limit of all previews on the disk, in bytes.
    var diskBytes: Int64 = 10_000_000_000
    /// Where a converter service listens; nil: `serve` starts the converters itself.
    var socket: String?
    /// Nil: words in pictures are not recognised.
    var recognition: RecognitionSettings? = RecognitionSettings()
}
