import FundCore

extension ShareLinkRows {
    /// Adds a link within the transaction that needs it. Throws as `ShareLinkStore.addLink`.
    func add(_ link: NewShareLink, of user: User.ID) throws -> ShareLink {
        let operation = "make a link"
        if let problem = link.problem(at: now) { throw StoreError(operation, problem) }
        let email = try UserRows.email(of: user, db, operation)
        try UserRows.checkEnabled(user, db, operation)
        let view = LibraryView(db: db, user: user)
        let funds = Set(try link.items.map { try view.sharedFund(of: $0) })
        guard let fund = funds.first, funds.count == 1 else {
            throw StoreError(operation, InputProblem(.linkFunds, "the things of a link are of one fund"))
        }
        let id = try insert(link, in: fund, of: user, email)
        return try Self.links(db, where: "id = ?1", [id]).one(operation, "there is no such link")
    }
}

extension LibraryView {
    /// The fund of an item. Throws `notFound` unless it is there.
    func sharedFund(of item: LibraryItemID) throws -> Fund.ID {
        switch item {
        case .fund(let id): try fund(id).id
        case .folder(let id): try folder(id).fund
        case .file(let id): try file(id).fund
        case .email(let id): try email(id).fund
        case .note(let id): try note(id).fund
        }
    }
}
