package import Ingest

extension FundStore: KeptMailStore {
    /// Oldest first.
    package func misroutes(_ filter: MisrouteFilter = MisrouteFilter()) async throws -> [MisrouteRecord] {
        throw StoreError(.invalid, "list misrouted mail", "not built yet")
    }

    /// Throws `notFound`.
    package func misroute(_ id: Int64) async throws -> MisrouteRecord {
        throw StoreError(.invalid, "read misrouted mail", "not built yet")
    }

    package func kept(_ misrouteID: Int64) async throws -> KeptMessage {
        throw StoreError(.invalid, "read misrouted mail", "not built yet")
    }

    package func resolve(_ misrouteID: Int64, staged: StagedMessage, actor: String) async throws -> StoredMessage {
        throw StoreError(.invalid, "file misrouted mail", "not built yet")
    }

    package func updateRouting(_ misrouteID: Int64, decision: RoutingDecision) async throws {
        throw StoreError(.invalid, "update misrouted mail", "not built yet")
    }

    /// Puts it aside; the raw message stays. Throws `alreadyResolved` when it was filed; rejecting twice is harmless.
    package func reject(_ misrouteID: Int64, note: String, actor: String) async throws {
        throw StoreError(.invalid, "reject misrouted mail", "not built yet")
    }
}
