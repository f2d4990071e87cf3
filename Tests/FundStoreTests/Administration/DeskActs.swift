import FundCore
import Testing

@testable import FundStore

/// Acts about one message each.
extension SQLAdministrationStore {
    @discardableResult
    func reject(_ id: MisrouteRecord.ID, note: String, actor: String) async throws -> DeskAct.ID {
        let act = try await begin(.reject, about: .init(), actor: actor)
        try await reject(id, note: note, in: act, actor: actor)
        return act
    }

    @discardableResult
    func putOff(_ id: MisrouteRecord.ID, until: Timestamp?, actor: String) async throws -> DeskAct.ID {
        let act = try await begin(.later, about: .init(), actor: actor)
        try await putOff(id, until: until, in: act, actor: actor)
        return act
    }

    /// Undoes what is left of an act, and throws the first refusal.
    func undo(all act: DeskAct.ID, actor: String = "root@example.com") async throws {
        for step in try await steps(of: act) {
            if let stranger = try await undo(step.id, actor: actor) {
                try await purgeWithdrawn(from: stranger, actor: actor)
            }
        }
    }
}

extension StoreHarness {
    /// Files a kept message by hand, as the command line does unless another right is given.
    @discardableResult
    func assign(
        _ id: MisrouteRecord.ID, to fund: Fund? = nil, of user: User? = nil, parts: [Part] = [],
        actor: String = "root@example.com", sender: User? = nil, tag: String? = nil, by right: FilingRight? = nil,
        receipt: ReceiptRequest? = nil
    ) async throws -> (stored: StoredMessage, act: DeskAct.ID) {
        let kept = try await store.mail.kept(id)
        var message = try message("ignored", parts: parts)
        message.spooled = try store.mail.spool(kept)
        message.kept = id
        message.decision.tag = tag
        message.receipt = receipt
        if let fund, let user { (message.decision.fund, message.decision.user) = (fund, user) }
        let act = try await store.administration.begin(
            sender == nil ? .assign : .retry, about: .init(fund: message.decision.fund?.id),
            actor: right?.actor ?? actor)
        let staged = try stage(message, parts)
        let stored = try await store.mail.resolve(
            id, staged: staged, sender: sender?.id, in: act, by: right ?? .administrator(actor, evenPutAside: true))
        return (stored, act)
    }
}

extension LibraryHarness {
    /// Keeps a message the way routing does.
    func keep(
        _ text: String, _ reason: Reason, of user: User? = nil, tag: String? = nil,
        from sender: String = "ann@example.com", parts: [StoreHarness.Part] = [], mailbox: String? = nil
    ) async throws -> MisrouteRecord.ID {
        var message = try base.message(
            "Subject: \(text)\n\n\(text)", parts: parts, reason: reason, mailbox: mailbox, place: text)
        if case .message(var parsed) = message.parsed {
            parsed.header.from = [AddressField(addresses: [NamedAddress(address: sender)])]
            message.parsed = .message(parsed)
        }
        (message.decision.user, message.decision.tag) = (user, tag)
        let stored = try await store.mail.commit([try base.stage(message, parts)])[0]
        return try #require(stored.misrouteID)
    }
}

/// A condition for `#expect(performing:throws:)`: a conflict with these words.
func conflict(_ words: String) -> (any Error) throws -> Bool {
    { error in
        let error = try #require(error as? StoreError)
        #expect(error.detail.contains(words), "\(error)")
        return error.code == .conflict
    }
}
