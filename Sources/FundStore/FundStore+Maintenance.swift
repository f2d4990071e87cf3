package import Ingest

extension FundStore {
    /// Compares rows, raw messages and blobs by hash. With a parser it also repairs: blobs are derived from their raw messages
    /// again, orphan blobs removed, orphan raw messages moved to `lost/`. Repairing needs the run lock.
    package func verify(
        repairing parser: (any MessageParser)? = nil, limits: ParseLimits = ParseLimits(),
        onProgress: @escaping @Sendable (VerifyProgress) -> Void = { _ in }
    ) async throws -> VerifyReport {
        throw StoreError(.invalid, "verify", "not built yet")
    }

    /// Writes the files of a fund into `directory` (made if needed), under their display names. What is there is never
    /// overwritten: the same content is left, other content gets a number.
    package func export(fund: Fund.ID, to directory: String) async throws -> ExportReport {
        throw StoreError(.invalid, "export", "not built yet")
    }

    /// Drops the raw messages of mail that was filed more than `rawDays` ago; nil keeps all. Needs the run lock.
    package func applyRetention(rawDays: Int?) async throws -> RetentionReport {
        throw StoreError(.invalid, "apply retention", "not built yet")
    }
}
