import TestSupport
import FundStore
import FundCore

@testable import FundServer

/// Who is in a harness's store, and what they have.
struct TestPeople: Sendable {
    static let password = "correct horse battery staple"
    private static let large = patternBytes(3_000_001)
    static let weakScrypt = ScryptParameters(logRounds: 4, blockSize: 8, parallelism: 1)

    struct Part: Sendable {
        var name: String
        var contentType = "application/octet-stream"
        var bytes: [UInt8]

        var digest: ContentDigest { .of(bytes) }
    }

    /// Has `Fund1` with `email`, whose attachments are `parts`.
    let ann: User
    let fund: Fund
    let email: EmailSummary.ID
    let parts: [Part]
    /// Has a fund of her own, `Other`.
    let bea: User
    let otherFund: Fund
    /// Cannot come in.
    let dan: User
    let root: User
    /// A message that was not filed.
    let misrouted: MisrouteRecord.ID

    init(in store: FundStore) async throws {
        let hash = try PasswordHash(of: Password(Self.password), parameters: Self.weakScrypt).text
        func add(_ name: String, isAdministrator: Bool = false) async throws -> User {
            let user = try await store.administration.addUser(
                email: "\(name.lowercased())@example.com", name: name, isAdministrator: isAdministrator, addresses: [],
                actor: "test")
            try await store.accounts.setPasswordHash(hash, of: user.id, actor: "test")
            return user
        }
        ann = try await add("Ann")
        bea = try await add("Bea")
        dan = try await add("Dan")
        root = try await add("Root", isAdministrator: true)
        fund = try await store.administration.addFund(name: "Fund1", owner: ann.id, aliases: [], actor: "test")
        otherFund = try await store.administration.addFund(name: "Other", owner: bea.id, aliases: [], actor: "test")
        let parts = [
            Part(name: "report.pdf", contentType: "application/pdf", bytes: Array("0123456789".utf8)),
            Part(name: "Zoë \"q\" 報告.svg", contentType: "image/svg+xml", bytes: Array("<svg/>".utf8)),
            Part(name: "large.bin", bytes: Self.large),
        ]
        self.parts = parts
        let stored = try await Self.file("first", parts, in: fund, of: ann, store)
        guard let email = stored.emailID else { throw StoreError(.invalid, "file", "not filed") }
        self.email = email
        let kept = try await Self.file("kept", [], in: nil, of: ann, store)
        guard let misrouted = kept.misrouteID else { throw StoreError(.invalid, "keep", "not kept") }
        self.misrouted = misrouted
        try await store.administration.setDisabled(true, user: dan.id, actor: "test")
    }

    /// Files a message as the pipeline does; without a fund it is kept as `no_tag`.
    static func file(
        _ text: String, _ parts: [Part], in fund: Fund?, of user: User, _ store: FundStore
    ) async throws -> StoredMessage {
        var header = MessageHeader()
        header.subjects = ["[\(fund?.name ?? "")] \(text)"]
        header.from = [AddressField(addresses: [NamedAddress(address: user.email)])]
        let attachments = parts.enumerated().map { index, part in
            ParsedAttachment(
                sentName: part.name, displayName: part.name, contentType: part.contentType,
                size: Int64(part.bytes.count), digest: part.digest, isInline: false, contentID: nil,
                partPath: "\(index + 2)")
        }
        var decision = RoutingDecision(outcome: .filed)
        if let fund {
            (decision.user, decision.fund) = (user, fund)
        } else {
            (decision.outcome, decision.reason, decision.user) = (.misrouted, .noTag, user)
        }
        var writer = store.mail.spool.makeWriter()
        let raw = "Subject: \(text)\r\nFrom: \(user.email)\r\n\r\n\(text)\r\n"
        try Array(raw.utf8).withUnsafeBytes { try writer.append($0) }
        let message = RoutedMessage(
            reference: SourceReference(place: "\(text).eml"), spooled: writer.finish(),
            parsed: .message(ParsedMessage(header: header, text: "body of \(text)", attachments: attachments)),
            decision: decision, policy: RoutingPolicy(trust: .vouched))
        let staged = try store.mail.stage(message) { index, consume in try parts[index].bytes.withUnsafeBytes(consume) }
        return try await store.mail.commit([staged])[0]
    }
}

/// Takes every message for one with a subject that has no tag.
struct SampleParser: MessageParser {
    let concurrency = 1

    final class Worker: ParseWorker {
        func parse(_ message: SpooledMessage, limits: ParseLimits) throws -> ParseResult {
            var header = MessageHeader()
            var bytes: [UInt8] = []
            try message.content.read { bytes += $0 }
            let lines = String(decoding: bytes, as: UTF8.self)
                .split(separator: "\r\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
            header.subjects = lines.compactMap { Self.value(of: "Subject", in: $0) }
            header.from = lines.compactMap { Self.value(of: "From", in: $0) }.map {
                AddressField(addresses: $0.split(separator: ", ").map { NamedAddress(address: String($0)) })
            }
            return .message(ParsedMessage(header: header, text: "body", attachments: []))
        }

        private static func value(of name: String, in line: Substring) -> String? {
            line.hasPrefix(name + ": ") ? String(line.dropFirst(name.count + 2)) : nil
        }

        func readAttachment(_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {}
    }

    func withWorker<Result: Sendable>(
        _ body: @escaping @Sendable (any ParseWorker) throws -> Result
    ) async throws -> Result { try body(Worker()) }
}
