import Foundation
import FundClient

/// The proxy that the environment names for a server, read as curl and others read it.
enum ProxyChoice {
    /// The proxy for a server; nil for none, and always for this machine itself.
    static func proxy(
        for server: ServerAddress, _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> ProxyAddress? {
        guard !server.isLoopback, !isExempt(server.host, environment) else { return nil }
        // HTTP_PROXY in capitals can be set by a request where a program runs for a web server.
        let names = server.isEncrypted ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        let text = (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return text.flatMap { ProxyAddress($0) }
    }

    /// Whether `no_proxy` names a host: `*` names all, a domain also what is below it.
    private static func isExempt(_ host: String, _ environment: [String: String]) -> Bool {
        let names = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").lowercased().split { ", ".contains($0) }
        return names.contains { name in
            let domain = name.drop { $0 == "." }
            return name == "*" || !domain.isEmpty && (host == domain || host.hasSuffix(".\(domain)"))
        }
    }
}
