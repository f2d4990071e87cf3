package import Ingest

extension FundStore {
    /// By naming address, disabled ones included.
    package func users() async throws -> [UserRecord] { throw StoreError(.invalid, "list users", "not built yet") }

    /// The user whom any of their addresses names. Throws `notFound`.
    package func user(_ address: String) async throws -> UserRecord {
        throw StoreError(.invalid, "find a user", "not built yet")
    }

    /// Throws `invalid` for what is no address, `alreadyExists` when one of them is registered.
    @discardableResult
    package func addUser(
        email: String, name: String?, isAdministrator: Bool, addresses: [String], actor: String
    ) async throws -> User {
        throw StoreError(.invalid, "add a user", "not built yet")
    }

    /// False when it was so already.
    @discardableResult
    package func setDisabled(_ isDisabled: Bool, user: User.ID, actor: String) async throws -> Bool {
        throw StoreError(.invalid, "disable a user", "not built yet")
    }

    /// False when the user has it already; throws `alreadyExists` when another has it.
    @discardableResult
    package func addAddress(_ address: String, to user: User.ID, actor: String) async throws -> Bool {
        throw StoreError(.invalid, "add an address", "not built yet")
    }

    /// All in one transaction, one result a row.
    package func importUsers(_ rows: [UserImportRow], actor: String) async throws -> [UserImportResult] {
        throw StoreError(.invalid, "import users", "not built yet")
    }
}
