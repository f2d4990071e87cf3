import TestSupport
import FundCore
import Testing

@testable import FundStore

@Suite struct AdministrationTests {
    @Test func usersAndAddresses() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        #expect(try await store.administration.users().map(\.addresses) == [["ann@example.com", "a@example.com"]])
        #expect(try await store.administration.user("A@Example.COM").user == harness.ann)
        await #expect { try await store.administration.user("b@example.com") } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
        for address in ["ann@EXAMPLE.com", "a@example.com"] {
            await #expect {
                try await store.administration.addUser(
                    email: address, name: nil, isAdministrator: false, addresses: [], actor: "t")
            } throws: { ($0 as? StoreError)?.code == .alreadyExists }
        }
        let bob = try await store.administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: true, addresses: [], actor: "t")
        await #expect {
            try await store.administration.addAddress("a@example.com", to: bob.id, actor: "t")
        } throws: { ($0 as? StoreError)?.code == .alreadyExists }
        #expect(try await store.administration.addAddress("b@example.com", to: bob.id, actor: "t"))
        #expect(try await !store.administration.addAddress("b@example.com", to: bob.id, actor: "t"))
        #expect(try await store.administration.setDisabled(true, user: bob.id, actor: "t"))
        #expect(try await !store.administration.setDisabled(true, user: bob.id, actor: "t"))
        let address = try #require(EmailAddress("b@example.com"))
        #expect(try store.mail.directory().user(for: address, subaddressSeparator: "+")?.isDisabled == true)
        #expect(
            try await store.administration.audit(AuditFilter(), PageQuery(limit: 100)).items.map(\.action).first
                == "user.disable")
    }

    @Test func changesAreMadeWholeOrNotAtAll() async throws {
        let harness = try await StoreHarness()
        let (store, ann, fund) = (harness.store, harness.ann.id, harness.fund.id)
        try await store.administration.addFund(name: "Other", owner: ann, aliases: [], actor: "t")
        await #expect {
            _ = try await store.library.changeFund(fund, name: "New", aliases: ["N", "Other"], of: ann)
        } throws: { ($0 as? StoreError)?.code == .alreadyExists }
        #expect(try await store.library.fund(fund, of: ann).name == "Fund1")
        let changed = try await store.library.changeFund(fund, name: "New", aliases: ["N"], of: ann)
        #expect(changed.name == "New" && changed.aliases == ["N", "Fund1"])

        let bob = try await store.administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: false, addresses: [], actor: "t")
        await #expect {
            try await store.administration.changeUser(
                bob.id, UserChange(isDisabled: true, addedAddress: "a@example.com"), actor: "t")
        } throws: { ($0 as? StoreError)?.code == .alreadyExists }
        #expect(try await store.administration.user("bob@example.com").user.isDisabled == false)
        try await store.administration.changeUser(
            bob.id, UserChange(isDisabled: true, addedAddress: "b@example.com"), actor: "t")
        #expect(try await store.administration.user("b@example.com").user.isDisabled)
    }

    @Test func importGivesOneResultARow() async throws {
        let harness = try await StoreHarness()
        let rows = [
            UserImportRow(email: "new@example.com", name: "New", funds: ["Alpha", "Alpha"]),
            UserImportRow(email: "ann@example.com", name: "Ann", addresses: ["a@example.com"], funds: ["fund1"]),
            UserImportRow(email: "ann@example.com", name: "Anna", funds: ["Beta"]),
            UserImportRow(email: "no address"),
            UserImportRow(email: "third@example.com", addresses: ["a@example.com"]),
        ]
        let results = try await harness.store.administration.importUsers(rows, actor: "t")
        #expect(results.count == 5)
        #expect(results[1...2] == [.unchanged, .updated])
        for index in [0, 3, 4] {
            guard case .invalid = results[index] else {
                Issue.record("row \(index): \(results[index])")
                continue
            }
        }
        #expect(try await harness.store.administration.users().count == 1)
        #expect(try await harness.store.administration.importUsers([rows[2]], actor: "t") == [.unchanged])
    }

    @Test func fundNamesAreUniquePerOwner() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        for name in ["fund1", "Ｆ1", " FUND1 "] {
            await #expect {
                try await store.administration.addFund(name: name, owner: harness.ann.id, aliases: [], actor: "t")
            } throws: { ($0 as? StoreError)?.code == .alreadyExists }
        }
        await #expect {
            try await store.administration.addFund(name: "[x]", owner: harness.ann.id, aliases: [], actor: "t")
        } throws: { ($0 as? StoreError)?.code == .invalid }
        let other = try await store.administration.addFund(
            name: "Other", owner: harness.ann.id, aliases: ["O"], actor: "t")
        try await store.administration.renameFund(other.id, to: "O", actor: "t")
        #expect(try await store.administration.funds(named: "other").map(\.fund.id) == [other.id])
        #expect(
            try await store.administration.funds(named: "o")[0].fund
                == Fund(id: other.id, owner: harness.ann.id, name: "O", aliases: ["Other"]))
        #expect(try await !store.administration.addAlias("f1", to: harness.fund.id, actor: "t"))
        #expect(try await store.administration.addAlias("Fund One", to: harness.fund.id, actor: "t"))
        #expect(try store.mail.directory().funds(of: harness.ann.id)[0].aliases == ["F1", "Fund One"])
        try await store.administration.archiveFund(harness.fund.id, actor: "t")
        #expect(try store.mail.directory().funds(of: harness.ann.id).map(\.name) == ["O"])
        try await store.administration.addFund(name: "Fund1", owner: harness.ann.id, aliases: [], actor: "t")
        #expect(try await store.administration.funds(includingArchived: true).count == 3)
    }

    @Test func changesOfAnotherProcessAreSeen() async throws {
        let harness = try await StoreHarness()
        #expect(try harness.store.mail.directory().funds(of: harness.ann.id).count == 1)
        let other = try FundStore.open(at: harness.store.path, mode: .existing)
        try await other.administration.addFund(name: "Late", owner: harness.ann.id, aliases: [], actor: "t")
        try other.close()
        #expect(try await becomesTrue { try harness.store.mail.directory().funds(of: harness.ann.id).count == 2 })
    }

    @Test func keptMailIsFiledOnce() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        let stored = try await harness.file("a: b\n\nc", reason: .unknownFund)
        let id = try #require(stored.misrouteID)
        let kept = try await store.mail.kept(id)
        #expect(try store.mail.spool(kept).digest == stored.message.spooled.digest)
        #expect(kept.trust == .vouched)
        var decision = RoutingDecision(outcome: .misrouted, reason: .ambiguousFund)
        decision.suggestions = ["A", "B"]
        try await store.mail.updateRouting(id, decision: decision)
        let record = try await store.administration.misroute(id)
        #expect(record.attempts == 2)
        #expect(record.suggestions == ["A", "B"])
        #expect(record.reason == .ambiguousFund)
        try await store.administration.reject(id, note: "no", actor: "t")
        await #expect { try await store.administration.reject(id, note: "no", actor: "u") } throws: { error in
            (error as? StoreError)?.code == .alreadyResolved
                && (error as? StoreError)?.detail.wholeMatch(of: /t put it aside \d+ s ago.*/) != nil
        }
        #expect(try await store.administration.misroutes() == [])
        let (filed, act) = try await harness.assign(id)
        #expect(filed.outcome == .filed)
        var message = stored.message
        message.decision = RoutingDecision(outcome: .filed)
        (message.decision.user, message.decision.fund) = (harness.ann, harness.fund)
        let staged = try harness.stage(message)
        await #expect {
            try await store.mail.resolve(id, staged: staged, sender: nil, in: act, by: .administrator("t"))
        } throws: { error in
            (error as? StoreError)?.code == .alreadyResolved
                && (error as? StoreError)?.detail.contains("filed it into [Fund1] of ann@example.com") == true
        }
        await #expect { try await store.mail.kept(id) } throws: { ($0 as? StoreError)?.code == .alreadyResolved }
        await #expect { try await store.mail.kept(99) } throws: { ($0 as? StoreError)?.code == .notFound }
        #expect(try harness.count("email") == 1)
        var filter = MisrouteFilter()
        filter.includesResolved = true
        #expect(try await store.administration.misroutes(filter).count == 1)
        filter.reasons = [.noTag]
        #expect(try await store.administration.misroutes(filter).count == 0)
    }

    @Test func whatWasPutAsideIsNotFiledBesideItsCopy() async throws {
        let harness = try await StoreHarness()
        let stored = try await harness.file("Received: a\nSubject: x\n\nbody", reason: .unverifiedSender)
        let id = try #require(stored.misrouteID)
        try await harness.store.administration.reject(id, note: "", actor: "t")
        #expect(try await harness.file("Received: b\nSubject: x\n\nbody").outcome == .filed)
        await #expect { try await harness.assign(id) } throws: { ($0 as? StoreError)?.code == .alreadyResolved }
        #expect(try harness.count("email") == 1)
    }

    @Test(arguments: [
        TrustPolicy.vouched, .dmarc(authservID: .topmostWithoutID, ownReceivedFields: 2),
        .dmarc(authservID: .named("mx.corp.example"), ownReceivedFields: 1),
        .dmarc(
            authservID: .named("mx corp"), ownReceivedFields: 1,
            submissionDomains: ["corp.example", "xn--a-0ga.example"]),
    ])
    func trustSurvives(_ trust: TrustPolicy) throws {
        #expect(try MisrouteRows.trust(of: MisrouteRows.text(of: trust)) == trust)
        #expect(throws: StoreError.self) { try MisrouteRows.trust(of: "") }
    }
}

/// Who makes the first administrator.
@Suite struct FirstAdministratorTests {
    @Test func isOne() async throws {
        let harness = try await StoreHarness()
        let administration = harness.store.administration
        #expect(try await !administration.hasAdministrator())
        await #expect {
            _ = try await administration.addFirstAdministrator(email: "x", name: nil, passwordHash: "h", actor: "t")
        } throws: { ($0 as? StoreError)?.code == .invalid }
        let results = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    do {
                        _ = try await administration.addFirstAdministrator(
                            email: "u\(number)@example.com", name: "U", passwordHash: "h", actor: "t")
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(results.filter { $0 }.count == 1)
        #expect(try await administration.users().filter(\.user.isAdministrator).count == 1)
        #expect(try await administration.hasAdministrator())
        let admin = try #require(try await administration.users().first(where: \.user.isAdministrator))
        #expect(try await harness.store.accounts.account(admin.user.id)?.passwordHash == "h")
        try await administration.setDisabled(true, user: admin.user.id, actor: "t")
        #expect(try await !administration.hasAdministrator())
        // A disabled user of this address comes back as administrator.
        let again = try await administration.addFirstAdministrator(
            email: admin.user.email, name: nil, passwordHash: "i", actor: "t")
        #expect(again.isAdministrator && !again.isDisabled && again.name == "U" && again.id == admin.user.id)
    }
}
