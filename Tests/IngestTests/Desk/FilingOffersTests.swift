import FundCore
import TestSupport
import Testing

@testable import Ingest

/// Where a kept message may belong.
struct FilingOffersTests {
    private static let ann = User(id: 1, email: "ann@corp.example")
    private static let bob = User(id: 2, email: "bob@corp.example")
    private static let funds = [
        Fund(id: 11, owner: 1, name: "Fund1"), Fund(id: 12, owner: 1, name: "Alpha", aliases: ["A-One"]),
        Fund(id: 13, owner: 1, name: "Zeta"), Fund(id: 21, owner: 2, name: "Fund1"),
    ]
    private static let directory = RoutingDirectory(
        users: [ann, bob], addresses: [ann, bob].compactMap { user in EmailAddress(user.email).map { ($0, user.id) } },
        funds: funds)

    private func offers(
        of user: User.ID?, tag: String? = nil, subject: String? = nil, relay: RelayedMail? = nil,
        isUnverified: Bool = false, reason: Reason = .noTag, _ change: (inout Evidence) -> Void = { _ in }
    ) -> [(fund: Int64, evidence: [FilingEvidence])] {
        var record = MisrouteRecord(
            id: 1, digest: .of([]), receivedAt: 0, reference: SourceReference(place: "x"), outcome: .misrouted,
            reason: reason, user: user, subject: subject, tag: tag, suggestions: [], isUnverified: isUnverified,
            size: 1,
            attempts: 1)
        record.relay = relay
        var evidence = Evidence()
        change(&evidence)
        return FilingOffers(directory: Self.directory, record: record, evidence: evidence).best().map {
            ($0.fund.id.rawValue, $0.evidence)
        }
    }

    @Test func namesFundsThatAreNearTheTag() {
        let found = offers(of: 1, tag: "Fnud1")
        #expect(found.first?.fund == 11 && found.first?.evidence.first == .lettersDiffer(2))
        #expect(offers(of: 1, tag: "a-oen").first?.fund == 12)
        // Another word is not near, nor is a fund of another owner.
        #expect(offers(of: 1, tag: "Something else").allSatisfy { $0.evidence == [.ofSender(lastMail: nil)] })
        #expect(offers(of: 1, tag: "Fund1").allSatisfy { $0.fund != 21 })
    }

    @Test func putsTheFundFirstThatHadMailLast() {
        let found = offers(of: 1) { $0.lastMail = [12: 100, 13: 200] }
        #expect(found.map(\.fund) == [13, 12, 11])
        #expect(offers(of: 2).map(\.evidence) == [[.onlyFund]])
    }

    @Test func trustsConversationsMost() {
        let found = offers(of: 1, tag: "Alpha") { evidence in
            evidence.threads = [21]
            evidence.mailsBySender = [13: 500]
        }
        #expect(found.map(\.fund).prefix(3) == [21, 12, 13])
        #expect(found[0].evidence == [.sameThread])
        #expect(found[1].evidence == [.sameTag, .ofSender(lastMail: nil)])
    }

    /// The rules look at no tag of theirs.
    @Test func offersAStrangerTheFundThatTheSubjectNames() {
        let found = offers(of: nil, subject: "Re: [Zeta] and [nothing]")
        #expect(found.map(\.fund) == [13] && found[0].evidence == [.sameTag])
        #expect(Set(offers(of: nil, subject: "[fund1]").map(\.fund)) == [11, 21])
        #expect(offers(of: nil, subject: "[a-one]").map(\.fund) == [12])
        #expect(offers(of: nil, subject: "[Zetta]").isEmpty && offers(of: nil, subject: "Zeta").isEmpty)
        // A known sender's own funds alone.
        #expect(offers(of: 2, subject: "[Zeta]").map(\.fund) == [21])
    }

    /// A forger chooses the address whose mail, funds, domain and conversations would speak for it.
    @Test(arguments: [(Reason.unverifiedSender, false), (.unknownSender, true), (.tooLarge, true)])
    func takesNothingOfAForgedAddressForEvidence(reason: Reason, isUnverified: Bool) {
        func forged(as user: User.ID?, _ subject: String) -> [(fund: Int64, evidence: [FilingEvidence])] {
            offers(of: user, subject: subject, isUnverified: isUnverified, reason: reason) { evidence in
                evidence.mailsBySender = [13: 54]
                evidence.threads = [12]
                evidence.addressesInDomain = [1: 3]
                evidence.lastMail = [13: 900]
            }
        }
        for user in [1, nil] as [User.ID?] {
            #expect(forged(as: user, "bank details").isEmpty)
            #expect(forged(as: user, "[Alpha] bank details").map(\.fund) == [12])
            #expect(forged(as: user, "[Alpha] bank details").map(\.evidence) == [[.sameTag]])
        }
        // Not the fund of that name of another person than the one whom the mail names.
        #expect(forged(as: 1, "[Fund1]").map(\.fund) == [11])
    }

    @Test func noOfferForForgedMailIsSafe() throws {
        var record = MisrouteRecord(
            id: 1, digest: .of([]), receivedAt: 0, reference: SourceReference(place: "x"), outcome: .misrouted,
            reason: .noTag, user: 1, suggestions: [], isUnverified: false, size: 1, attempts: 1)
        let offer = FilingOffer(fund: Self.funds[0], owner: Self.ann, evidence: [.earlierMails(9)])
        #expect(offer.isSafe(for: record) && DeskChoices(record).proposal == .file)
        record.isUnverified = true
        #expect(!offer.isSafe(for: record) && DeskChoices(record).proposal == .putAside)
    }

    /// Nothing is learnt from mail that may be forged, made for it, or enabled because of it.
    @Test(arguments: [Reason.unknownFund, .unknownSender, .disabledSender])
    func proposesNothingLastingForForgedMail(reason: Reason) {
        var record = MisrouteRecord(
            id: 1, digest: .of([]), receivedAt: 0, reference: SourceReference(place: "x"), outcome: .misrouted,
            reason: reason, sender: "ann@corp.example", user: reason == .unknownSender ? nil : 1,
            userEmail: "ann@corp.example", tag: "Fnud1", suggestions: [], isUnverified: false, size: 1, attempts: 1)
        let choices = DeskChoices(record)
        #expect(choices.teaching != nil || choices.enablesSender)
        record.isUnverified = true
        let doubted = DeskChoices(record)
        #expect(doubted.teaching == nil && doubted.newFund == nil && doubted.registration == nil)
        #expect(!doubted.enablesSender && doubted.proposal == .putAside)
    }

    /// Other mail of a group is other people's: nothing follows from it.
    @Test func offersTheFundsOfWhoWroteIt() {
        let ann = RelayedMail(kind: .group, author: "ann@corp.example")
        let found = offers(of: nil, subject: "[Zeta] minutes", relay: ann) { evidence in
            evidence.addressesInDomain = [2: 1]
            evidence.mailsBySender = [21: 9]
        }
        #expect(found.map(\.fund).first == 13 && found[0].evidence == [.sameTag, .ofAuthor])
        #expect(Set(found.dropFirst().map(\.fund)) == [11, 12])
        #expect(offers(of: nil, relay: RelayedMail(kind: .group)) { $0.addressesInDomain = [2: 1] }.isEmpty)
    }

    @Test func offersAStrangerTheFundsOfTheDomain() {
        #expect(offers(of: nil).isEmpty)
        let found = offers(of: nil, tag: "fund1") { $0.addressesInDomain = [1: 1, 2: 3] }
        #expect(Set(found.prefix(2).map(\.fund)) == [11, 21] && found.count == 4)
        #expect(found.allSatisfy { !$0.evidence.isEmpty })
        // Who forges an address chooses its domain.
        #expect(offers(of: nil, isUnverified: true) { $0.addressesInDomain = [1: 1, 2: 3] }.isEmpty)
        // A fund that is gone is not offered.
        #expect(offers(of: nil) { $0.mailsBySender = [99: 7] }.isEmpty)
    }
}
