package import FundCore

/// A fund into which a kept message may belong, and why.
package struct FilingOffer: Sendable, Hashable {
    package var fund: Fund
    package var owner: User
    /// The strongest first.
    package var evidence: [FilingEvidence]

    /// Whether the message may be filed there without being looked at: it is a fund of its sender's, who is known and
    /// proven, and more than the owner speaks for it.
    package func isSafe(for record: MisrouteRecord) -> Bool {
        guard !record.isSenderUnproven, record.user == owner.id, record.reason.isAboutFund else { return false }
        return switch evidence.first {
        case .sameThread, .sameTag, .lettersDiffer, .earlierMails, .onlyFund: true
        case .ofAuthor, .sameDomain, .ofSender, nil: false
        }
    }
}

/// The evidence for which a message may belong into a fund.
package enum FilingEvidence: Sendable, Hashable {
    /// The tag is its name or an alias.
    case sameTag
    /// Number of insertions, deletions and substitutions from the tag to its name or an alias.
    case lettersDiffer(Int)
    /// The author owns the fund, as the service says that passed the mail on.
    case ofAuthor
    /// The message answers one that lies there.
    case sameThread
    /// Number of mails from the sender in the fund.
    case earlierMails(Int)
    /// Number of addresses of the fund's owner in the sender's domain.
    case sameDomain(Int)
    /// It is the sender's only fund.
    case onlyFund
    /// It is one of the sender's; mail last came into it then.
    case ofSender(lastMail: Timestamp?)

    /// Weight of the evidence, for the order of offers.
    fileprivate var weight: Double {
        switch self {
        case .sameThread: 1000
        case .sameTag: 600
        case .ofAuthor: 300
        case .lettersDiffer(let count): 500 - 100 * Double(count)
        case .earlierMails(let count): 100 + Double(min(count, 100))
        case .onlyFund: 80
        case .sameDomain: 40
        case .ofSender: 20
        }
    }
}

/// Finds where a kept message may belong, best first. A pure function of what is known.
package struct FilingOffers {
    static let maxCount = 5
    /// More of a tag that differ make it another word.
    private static let maxDistance = 3

    private let directory: RoutingDirectory
    private let record: MisrouteRecord
    private let evidence: Evidence
    /// In its normal form.
    private let tag: [Unicode.Scalar]?
    /// The author of mail that a service passed on, as the service says.
    private let author: User.ID?
    /// Funds that the subject names exactly, for a sender who is not known or not proven: the rules do not look at
    /// their tags.
    private let named: Set<Fund.ID>

    init(directory: RoutingDirectory, record: MisrouteRecord, evidence: Evidence) {
        (self.directory, self.record, self.evidence) = (directory, record, evidence)
        tag = record.tag.map { Array(FundName.key($0).unicodeScalars) }
        author = record.relay?.author.flatMap { EmailAddress($0) }.flatMap {
            directory.user(for: $0, subaddressSeparator: "")?.id
        }
        named =
            record.user == nil || record.isSenderUnproven
            ? Self.funds(named: record.subject ?? "", directory).filter { fund in
                record.user.map { user in directory.funds(of: user).contains { $0.id == fund } } ?? true
            } : []
    }

    /// Funds of all owners whose names or aliases stand as tags in a subject.
    package static func funds(named subject: String, _ directory: RoutingDirectory) -> Set<Fund.ID> {
        let keys = Set(SubjectTags.read(subject).map(FundName.key))
        return Set(keys.flatMap { directory.funds(matching: $0) }.map(\.id))
    }

    /// Whether the domain of the address says anything of who wrote the mail: other members of a group are in its
    /// domain as little as in any.
    private var isDomainOfSender: Bool { record.relay == nil }

    /// For mail that may be forged only what its own subject names: a forger chooses the address whose earlier mail,
    /// funds, domain and conversations would speak for it.
    func best() -> [FilingOffer] {
        guard !record.isSenderUnproven else {
            return directory.funds(with: named).compactMap { fund in
                directory.user(fund.owner).map { FilingOffer(fund: fund, owner: $0, evidence: [.sameTag]) }
            }.sorted { ($0.fund.name, $0.fund.id.rawValue) < ($1.fund.name, $1.fund.id.rawValue) }
                .prefix(Self.maxCount).map(\.self)
        }
        let neighbours = isDomainOfSender ? Array(evidence.addressesInDomain.keys) : []
        let known = (record.user ?? author).map { [$0] } ?? neighbours
        let others = Set(evidence.threads).union(evidence.mailsBySender.keys).union(named)
        var funds = known.flatMap { directory.funds(of: $0) }
        let ids = Set(funds.map(\.id))
        funds += directory.funds(with: others.subtracting(ids))
        let offers = funds.compactMap { fund -> (offer: FilingOffer, weight: Double, lastMail: Timestamp)? in
            guard let owner = directory.user(fund.owner) else { return nil }
            let found = self.evidence(for: fund).sorted { $0.weight > $1.weight }
            guard !found.isEmpty else { return nil }
            let weight = found.reduce(0) { $0 + $1.weight }
            let lastMail = evidence.lastMail[fund.id] ?? Timestamp(0)
            return (FilingOffer(fund: fund, owner: owner, evidence: found), weight, lastMail)
        }
        return offers.sorted {
            ($0.weight, $0.lastMail, $1.offer.fund.name, $1.offer.fund.id.rawValue)
                > ($1.weight, $1.lastMail, $0.offer.fund.name, $0.offer.fund.id.rawValue)
        }.prefix(Self.maxCount).map(\.offer)
    }

    private func evidence(for fund: Fund) -> [FilingEvidence] {
        var found: [FilingEvidence] = []
        if evidence.threads.contains(fund.id) { found.append(.sameThread) }
        // Other mail of a relay belongs to other people.
        if record.relay == nil, let count = evidence.mailsBySender[fund.id] { found.append(.earlierMails(count)) }
        if named.contains(fund.id) {
            found.append(.sameTag)
        } else if let distance = distance(to: fund) {
            found.append(distance == 0 ? .sameTag : .lettersDiffer(distance))
        }
        if fund.owner == record.user {
            let lastMail = evidence.lastMail[fund.id]
            found.append(directory.funds(of: fund.owner).count == 1 ? .onlyFund : .ofSender(lastMail: lastMail))
        } else if fund.owner == author {
            found.append(.ofAuthor)
        } else if record.user == nil, isDomainOfSender, let count = evidence.addressesInDomain[fund.owner] {
            found.append(.sameDomain(count))
        }
        return found
    }

    /// Nil when too many letters differ.
    private func distance(to fund: Fund) -> Int? {
        guard let tag else { return nil }
        let nearest = FundSuggestions.distance(from: tag, to: fund)
        return nearest <= min(Self.maxDistance, max(tag.count / 2, 1)) ? nearest : nil
    }
}
