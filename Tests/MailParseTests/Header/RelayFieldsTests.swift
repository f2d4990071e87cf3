import FundCore
import TestSupport
import Testing

@testable import MailParse

/// Headers whose `From` names a service that passes on what others wrote.
@Suite struct RelayFieldsTests {
    private func relay(_ header: String) -> RelayedMail? {
        MessageHeaderReader(charsets: CharsetDecoder()).read(HeaderBlock(Array(header.utf8))).header.relay
    }

    /// A header, and the author whom it names.
    struct Row: Sendable {
        var header: String
        var author: String?

        init(_ author: String?, _ fields: String...) {
            (self.author, header) = (author, fields.joined(separator: "\n") + "\n")
        }
    }

    private static let group = "From: 'Ann A' via Owners <owners@groups.example.org>"
    private static let via = "From: Ann via Owners <owners7@g.example.org>"
    private static let answers = "Reply-To: Ann <ann@example.com>"
    private static let list = "List-Id: <owners.groups.example.org>"
    private static let ann = "From: Ann <ann@example.com>"

    /// Texts that groups and lists write beside an address of their own.
    private static let groups: [Row] = [
        Row("ann@example.com", group, list, "X-Original-From: Ann <ann@example.com>"),
        Row("ann@example.com", group, list, "X-Original-Sender: Ann@Example.com"),
        Row("ann@example.com", group, list, "Reply-To: Ann <ann@example.com>"),
        Row(nil, group, list),
        Row(
            "ann@example.com", "From: Owners <owners@x.example>", "List-Post: <mailto:owners@x.example>",
            "Reply-To: ann@example.com"),
        Row(
            nil, "From: Owners <owners@x.example>", "X-BeenThere: owners@x.example", "Reply-To: owners@x.example"),
        Row(
            nil, "From: O <o@x.example>", "Mailing-list: list o@x.example; contact p@x.example",
            "Reply-To: a@b.example, c@d.example"),
        Row("ann@example.com", "From: x@y.example", list, "X-Original-Sender: ann@example.com"),
        // Marked in another way than by an id, or not at all.
        Row("ann@example.com", via, "X-Original-From: Ann <ann@example.com>"),
        Row("ann@example.com", via, "Precedence: list", "Reply-To: ann@example.com"),
        Row(
            "ann@example.com", via, "List-Unsubscribe: <mailto:l@g.example.org>", "Sender: owners7@g.example.org",
            "Reply-To: ann@example.com"),
        Row(nil, via, "List-Unsubscribe: <https://g.example.org/leave>"),
        // Told by where answers go, when the id is not made of the address.
        Row("ann@example.com", "From: Ann <team@lists.x.example>", "List-Id: <team.x.example>", answers),
        Row("ann@example.com", "From: Ann <team@lists.x.example>", "List-Id: <all.people.lists.x.example>", answers),
        Row(
            "ann@example.com", "From: Ann <team@lists.x.example>", "List-Post: <mailto:people@lists.x.example>",
            answers),
        Row(
            nil, "From: Ann <team@lists.x.example>", "List-Id: <1.x.example>",
            "List-Unsubscribe: <mailto:team-leave@lists.x.example>"),
        // The id of a list is its address with a dot (RFC 2919 §2).
        Row(
            "ann@example.com", "From: O <Team@lists.x.example>", "List-Id: Team <team.lists.x.example>",
            "Reply-To: ann@example.com"),
    ]

    @Test(arguments: groups) func groupsAreTold(_ row: Row) {
        #expect(relay(row.header) == RelayedMail(kind: .group, author: row.author))
    }

    private static let envelope = "From: \"Per conto di: ann@example.com\" <pec@pec.example.net>"
    private static let envelopes: [Row] = [
        Row("ann@example.com", envelope, "X-Trasporto: posta-certificata", "Reply-To: ann@example.com"),
        Row(nil, envelope, "X-Trasporto: errore"), Row(nil, envelope, "X-Ricevuta: accettazione"),
    ]

    @Test(arguments: envelopes) func certifiedMailIsTold(_ row: Row) {
        #expect(relay(row.header) == RelayedMail(kind: .certified, author: row.author))
    }

    @Test(arguments: ["X-MS-Journal-Report:\n", "X-MS-Journal-Report: x\n"]) func journalsAreTold(_ field: String) {
        #expect(relay("From: Exchange <exchange@corp.example>\n" + field) == RelayedMail(kind: .journal))
    }

    /// Whom a list leaves in `From` wrote it; whose mail program writes such words did, too.
    private static let people: [Row] = [
        Row(nil, ann),
        Row(
            nil, ann, list, "List-Post: <mailto:owners@groups.example.org>", "Reply-To: owners@groups.example.org"),
        Row(nil, ann, list, "X-Original-Sender: ann@example.com"),
        Row(nil, "From: Via Appia <via@example.com>", list), Row(nil, "From: Ann via Phone <ann@example.com>"),
        Row(nil, ann, "X-Original-From: bob@example.com"), Row(nil, "Subject: x", list),
        Row(nil, ann, list, "Reply-To: home@example.net"), Row(nil, ann, "Precedence: list", "Reply-To: l@x.example"),
        Row(nil, ann, "List-Id: <all.example.com>", "Reply-To: Ann <ann.archer@example.com>"),
        // Whom a list belongs to writes to it, too.
        Row(nil, ann, list, "List-Owner: <mailto:ann@example.com>", "List-Help: <mailto:ann@example.com>"),
        Row(nil, ann, "List-Unsubscribe: <mailto:ann@example.com>", "Reply-To: office@example.com"),
    ]

    @Test(arguments: people) func peopleStayPeople(_ row: Row) { #expect(relay(row.header) == nil) }
}
