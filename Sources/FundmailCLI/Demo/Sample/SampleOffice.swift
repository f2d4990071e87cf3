import FundCore
import FundServer
import FundStore

/// A made-up office: Meridian Partners, its people and funds, and what they have beside their mail.
struct SampleOffice: Sendable {
    typealias Person = (name: String, email: String)

    static let mailAddress = "funds@meridian.example"
    static let ann: Person = ("Ann Archer", "ann.archer@meridian.example")
    static let ben: Person = ("Ben Becker", "ben.becker@meridian.example")
    static let office: Person = ("Grace Hall", "office@meridian.example")
    static let harbour = "Harbour Growth II"
    static let oasis = "Oasis Infrastructure"
    static let partners = "Meridian Partners I"
    static let lumen = "Lumen Grid"
    static let greenland = "绿洲基金"
    /// Published by the page of signing in.
    static let password = "demo-of-fundmail"
    private static let actor = "demo"

    /// A person and an administrator, as whom visitors sign in.
    static let logins = [(ann, false), (office, true)].map { person, isAdministrator in
        DemoSite.Login(
            name: person.name, email: person.email, password: password, isAdministrator: isAdministrator)
    }

    /// The people with funds.
    struct People: Sendable {
        var ann: User
        var harbour: Fund
        var oasis: Fund
    }

    private let store: FundStore
    let now: Timestamp

    /// - Parameter store: a new one.
    init(_ store: FundStore, at now: Timestamp) { (self.store, self.now) = (store, now) }

    /// Registers the people with their funds and passwords.
    func addPeople() async throws -> People {
        let ann = try await add(Self.ann)
        let harbour = try await add(Self.harbour, of: ann, aliases: ["HG II"])
        let oasis = try await add(Self.oasis, of: ann)
        _ = try await add(Self.partners, of: ann)
        _ = try await add(Self.greenland, of: ann, aliases: ["Greenland"])
        let ben = try await add(Self.ben)
        _ = try await add(Self.lumen, of: ben)
        let office = try await add(Self.office, isAdministrator: true)
        for user in [ann, office] {
            try await Accounts(store: store.accounts, scrypt: DebugSwitches.passwordCost)
                .setPassword(Self.password, of: user, actor: Self.actor)
        }
        return People(ann: ann, harbour: harbour, oasis: oasis)
    }

    private func add(_ person: Person, isAdministrator: Bool = false) async throws -> User {
        try await store.administration.addUser(
            email: person.email, name: person.name, isAdministrator: isAdministrator, addresses: [],
            actor: Self.actor)
    }

    private func add(_ fund: String, of user: User, aliases: [String] = []) async throws -> Fund {
        try await store.administration.addFund(name: fund, owner: user.id, aliases: aliases, actor: Self.actor)
    }

    /// Adds notes, a folder and favourites of a person. The mail is filed before.
    func arrange(for people: People) async throws {
        let (library, ann) = (store.library, people.ann.id)
        let place = LibraryPlace(fund: people.harbour.id)
        let legal = try await library.addFolder("Legal", in: place, of: ann)
        for item in try await library.children(of: place, of: ann) {
            guard case .file(let file) = item else { continue }
            if file.name == Self.sideLetter {
                _ = try await library.move(.file(file.id), to: ItemTarget(.folder(legal.id)), if: nil, of: ann)
            }
            if file.name.hasSuffix("report.pdf") { try await library.setFavourite(true, .file(file.id), of: ann) }
        }
        try await library.setFavourite(true, .fund(people.harbour.id), of: ann)
        for (note, fund) in [
            (
                NoteText(
                    title: "Call with Northwind Rail",
                    content: "Two more trains from spring. The refinancing waits for the auditors; Ben asks them."),
                people.harbour
            ),
            (
                NoteText(
                    title: "Questions for the data room",
                    content: "1. Traffic of the last three years by month\n2. The concession's end\n3. Insurance"),
                people.oasis
            ),
        ] { _ = try await library.addNote(note, in: fund.id, of: ann) }
    }
}
