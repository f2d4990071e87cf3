package import Ingest

extension FundStore: Administration {
    package func funds() async throws -> [FundRecord] { try await funds(owner: nil) }
}
