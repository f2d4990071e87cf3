import FundClient
import Terminal

extension ServerAddress {
    /// Reads the address of a server to which a password may be sent. Throws `CommandError`.
    static func forPassword(_ text: String) throws -> ServerAddress {
        guard let address = ServerAddress(text) else {
            throw CommandError(
                .usage, "\(text) is not the address of a server; write https://HOST or https://HOST:PORT.")
        }
        guard address.isEncrypted || address.isLoopback else {
            throw CommandError(.usage, "A password is sent only over https: write https://\(address.authority).")
        }
        return address
    }
}
