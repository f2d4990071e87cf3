internal import FundCore

/// The people to whom a mail was sent, as its header names them. The store has them in the message alone, from which
/// the program that reads mail takes them when the mail is first opened.
struct MailRecipients {
    /// For the template `recipients`; nil when the message is not kept any more, and where no program reads it.
    let model: PageModel?

    /// Limit of the recipients that are named.
    private static let maxNamed = 100
    /// Time for which a page that a script shows in place waits: it asks for the rest when it is there.
    private static let briefWait = Duration.milliseconds(30)

    init(of email: EmailSummary.ID, _ call: PageCall) async throws {
        let wait = try OpenedItem.isAskedAlone(call) ? Self.briefWait : PreviewResponses.longestWait
        switch try await call.fields(of: email, waitingAtMost: wait) {
        case .ready(let fields): model = Self.model(fields, call)
        case .making: model = ["isWanted": true, "to": false, "cc": false]
        case .absent: model = nil
        }
    }

    private static func model(_ fields: MailFields, _ call: PageCall) -> PageModel? {
        func people(_ people: [FieldPerson]) -> PageValue {
            let named = people.prefix(maxNamed).compactMap { person in person.address ?? person.name }
            guard !named.isEmpty else { return .flag(false) }
            let more = people.count > maxNamed ? ["…"] : []
            return .model(["names": (named + more).joined(separator: ", ")])
        }
        let (to, cc) = (people(fields.to), people(fields.cc))
        return fields.to.isEmpty && fields.cc.isEmpty ? nil : ["isWanted": false, "to": to, "cc": cc]
    }
}
