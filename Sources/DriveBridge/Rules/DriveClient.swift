/// This program as the company registered it with a store that people sign in to on the store's own pages (RFC 6749
/// §2).
package struct DriveClient: Sendable, Hashable {
    package var id: String
    /// File with the secret of the client; nil for a public client, which has none.
    package var secretFile: String?
    /// The directory of Microsoft whose people may sign in: its id or domain, `common`, `organizations` or `consumers`.
    package var tenant: String

    package static let usualTenant = "common"

    package init(id: String, secretFile: String? = nil, tenant: String = DriveClient.usualTenant) {
        (self.id, self.secretFile, self.tenant) = (id, secretFile, tenant)
    }
}
