internal import FundHTTP
internal import Hummingbird
internal import FundCore
internal import Ingest

/// The fields of a form of the desk.
struct DeskFields {
    private static let maxDays: Int64 = 365

    private let form: FieldText

    /// Throws 400 when it names too many messages.
    init(_ form: FieldText) throws {
        self.form = form
        guard messages.count <= DeskService.maxMessages else {
            throw RequestError.invalid("at most \(DeskService.maxMessages) messages can be chosen at once")
        }
    }

    /// The messages of the fields `message-12`, whatever their values; oldest first.
    var messages: [MisrouteRecord.ID] {
        form.values.keys.compactMap { key in
            key.hasPrefix("message-") ? QueryText.number(key.dropFirst(8)).map { MisrouteRecord.ID($0) } : nil
        }.sorted()
    }

    /// The only message, or the first of the cause; nil for several.
    var only: MisrouteRecord.ID? {
        if let like = form["like"] { return QueryText.number(like).map { MisrouteRecord.ID($0) } }
        return messages.count == 1 ? messages.first : nil
    }

    /// Where one goes on.
    var back: String { form["back"] ?? "/desk" }

    func order(_ call: PageCall) async throws -> DeskOrder {
        // A button in a row: one message and its fund, whatever else is chosen.
        if let (message, filing) = try button("file") {
            return DeskOrder(act: .assign(filing), messages: .these([message]))
        }
        // A button of a group: all of its cause, as far as the list knew it.
        if let (message, filing) = try button("all") {
            guard let last = form["last"].flatMap({ QueryText.number($0) }), let cause = form["cause-\(message)"] else {
                throw Self.noButton
            }
            let messages = DeskOrder.Messages.like(message, upTo: MisrouteRecord.ID(last), cause: cause)
            return DeskOrder(act: .assign(filing), messages: messages)
        }
        let chosen: DeskOrder.Messages
        if let like = form["like"] {
            guard messages.isEmpty else { throw RequestError.invalid("give messages, or a cause") }
            guard let like = QueryText.number(like), let upTo = form["up_to"].flatMap({ QueryText.number($0) }) else {
                throw RequestError.invalid("there is no such cause")
            }
            chosen = .like(MisrouteRecord.ID(like), upTo: MisrouteRecord.ID(upTo), cause: form["cause"])
        } else {
            chosen = .these(messages)
        }
        // Each that may be forged is looked at before it is filed.
        guard form["confirm_unverified"] == nil || form["like"] == nil && messages.count <= 1 else {
            throw RequestError.invalid("mail that may be forged is filed one by one")
        }
        return DeskOrder(act: try await act(call), messages: chosen)
    }

    private static let noButton = RequestError.invalid("there is no such button")

    /// A message and the fund to file it into, of a button with the value `12-3`; nil when another was pressed.
    private func button(_ name: String) throws -> (message: MisrouteRecord.ID, filing: DeskService.Filing)? {
        guard let parts = form[name]?.split(separator: "-", omittingEmptySubsequences: false) else { return nil }
        let numbers = parts.compactMap { QueryText.number($0) }
        guard parts.count == 2, numbers.count == 2 else { throw Self.noButton }
        let filing = DeskService.Filing(
            fund: Fund.ID(numbers[1]), remembers: false, isOwnerConfirmed: false, isDespiteUnverified: false)
        return (MisrouteRecord.ID(numbers[0]), filing)
    }

    private func act(_ call: PageCall) async throws -> DeskOrder.Act {
        if let user = form["register"] {
            return .remedy(.register(try await person(user, call), confirmedAddress: confirmed))
        }
        if let days = form["later"] { return try later(days, call) }
        if let fund = form["fund"].flatMap({ QueryText.number($0) }) { return .assign(filing(Fund.ID(fund))) }
        switch form["kind"] {
        case "create": return .remedy(.createFund)
        case "enable": return .remedy(.enableSender(confirmedAddress: confirmed))
        case "retry": return .retry
        case "reject": return .reject(note: form["note"] ?? "")
        case "show": return .later(until: nil)
        case "later": return try later(form["days"] ?? "1", call)
        default: throw Self.noButton
        }
    }

    private func later(_ days: String, _ call: PageCall) throws -> DeskOrder.Act {
        guard let days = QueryText.number(days), (1...Self.maxDays).contains(days) else {
            throw RequestError.invalid("days must be 1 to \(Self.maxDays)")
        }
        return .later(until: call.formats.now + .seconds(days * Int64(CivilDate.secondsPerDay)))
    }

    private func filing(_ fund: Fund.ID) -> DeskService.Filing {
        DeskService.Filing(
            fund: fund, remembers: form["remember"] != nil, isOwnerConfirmed: form["confirm_owner"] != nil,
            isDespiteUnverified: form["confirm_unverified"] != nil, confirmedAddress: confirmed)
    }

    private var confirmed: String? { form["confirm_address"].flatMap { $0.isEmpty ? nil : $0 } }

    /// A number, or nothing for the one whose address was typed.
    private func person(_ number: String, _ call: PageCall) async throws -> User.ID {
        if let number = QueryText.number(number) { return User.ID(number) }
        guard number.isEmpty else { throw Self.noButton }
        guard let account = try await call.accounts.account(named: form["person"] ?? "") else {
            throw StoreError("find a person", InputProblem(.unknownPerson, "no user has this address"))
        }
        return account.user.id
    }

    /// Hidden fields with all that another form is to send again.
    func carried(without left: Set<String>) -> [PageModel] {
        form.values.filter { $0.key != "csrf" && !left.contains($0.key) }.sorted { $0.key < $1.key }.map {
            ["name": $0.key, "value": $0.value]
        }
    }
}
