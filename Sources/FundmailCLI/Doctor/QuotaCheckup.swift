import FundCore
import FundStore
import Terminal

/// The part of `doctor` about limits of what people's files may take.
enum QuotaCheckup {
    /// Addresses in one finding.
    private static let maxNamed = 10

    /// Warns of limits that are nearly reached. Nothing is found where there are no limits.
    static func findings(_ store: FundStore) async throws -> DoctorFindings {
        var findings = DoctorFindings()
        let limits = store.administration.storageLimits
        if let limit = limits.store {
            let used = try await store.administration.storedBytes()
            let text = "people's files take \(share(used, of: limit))"
            if StorageLimits.isNearlyFull(used, of: limit) {
                findings.warn(.store, "\(text), the limit of the store; raise quota: store, or have trashes emptied")
            } else {
                findings.ok(.store, text)
            }
        }
        let full = try await store.administration.users().compactMap { record -> String? in
            guard !record.user.isDisabled, let limit = record.quota.limit(limits),
                StorageLimits.isNearlyFull(record.usedBytes, of: limit)
            else { return nil }
            return "\(record.user.email) (\(share(record.usedBytes, of: limit)))"
        }
        guard !full.isEmpty else { return findings }
        let more = full.count > maxNamed ? " and \(full.count - maxNamed) more" : ""
        findings.warn(
            .store,
            "nearly full: \(full.prefix(maxNamed).joined(separator: ", "))\(more); `fundmail user quota EMAIL SIZE`")
        return findings
    }

    private static func share(_ used: Int64, of limit: Int64) -> String {
        "\(Quantity.display(bytes: used)) of \(Quantity.display(bytes: limit))"
    }
}
