import FundServer
import Terminal

extension ServerConfiguration {
    /// The settings of the web server. Throws `CommandError` where passwords would be sent unencrypted and the
    /// configuration does not allow it.
    func settings() throws -> HTTPServer.Settings {
        guard isLoopback || tls != nil || isPlainAllowed || isBehindProxy else {
            throw CommandError(
                .configuration,
                "The server would take passwords unencrypted on \(host): give it a certificate "
                    + "(server: {tls: {certificate: …, key: …}}), or write behind_proxy: true if a proxy in front of "
                    + "it encrypts, or tls: off.")
        }
        var settings = HTTPServer.Settings()
        settings.host = host
        settings.port = port
        settings.isBehindProxy = isBehindProxy
        settings.publicURL = publicURL
        return settings
    }
}
