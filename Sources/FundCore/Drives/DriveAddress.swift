/// The address of a store's web server: `https`, a host, no user (RFC 3986 §3), and a port at which web servers are.
package struct DriveAddress: Sendable, Hashable {
    /// As `NewsAddress` writes it.
    package var host: String
    package var port: Int
    package var text: String

    package init?(_ text: String) {
        guard text.lowercased().hasPrefix("https://"), let address = NewsAddress(text), address.isEncrypted else {
            return nil
        }
        self.host = address.host
        self.port = address.port
        self.text = address.text
    }
}
