import DriveBridge
import FundCore

/// The section `drives`.
extension ConfigurationDecoder {
    private static let plainKeys = ["kinds", "hosts", "private_hosts", "tls_ca_file"]
    private static let signInKinds = DriveKind.allCases.filter(\.usesOAuth)

    /// Nil for `off`.
    /// - Parameter publicURL: the address of the pages, without a slash at the end; nil when it is not known.
    func drives(_ node: ConfigurationNode, publicURL: String?) throws -> DriveRules? {
        var rules = DriveRules()
        switch try? node.string() {
        case "off": return nil
        case "on": return rules
        default: break
        }
        let values = try node.mapping(Self.plainKeys + Self.signInKinds.map(\.rawValue))
        for kind in Self.signInKinds {
            guard let client = values[kind.rawValue] else { continue }
            guard let publicURL else {
                throw client.error(
                    "needs the address of the pages, to which the store leads back: add server: public_url")
            }
            rules.clients[kind] = try self.client(of: kind, client)
            rules.signInAddress = publicURL + DriveSignInPath.path
        }
        let offered = DriveRules.offered.union(rules.clients.keys)
        rules.kinds = offered
        if let list = values["kinds"] { rules.kinds = Set(try list.list().map { try kind($0, of: offered) }) }
        if let list = values["hosts"] { rules.hosts = try list.list().map(host) }
        if let list = values["private_hosts"] { rules.privateHosts = try list.list().map(host) }
        rules.authorityFile = try values["tls_ca_file"].map { path(try $0.text()) }
        return rules
    }

    private func kind(_ node: ConfigurationNode, of offered: Set<DriveKind>) throws -> DriveKind {
        let kind = DriveKind(rawValue: try node.text())
        if let kind, offered.contains(kind) { return kind }
        let names = offered.map(\.rawValue).sorted().joined(separator: ", ")
        let hint = kind.map { "; \($0.rawValue) needs a client: add drives: {\($0.rawValue): {client_id: …}}" } ?? ""
        throw node.error("must be one of \(names)\(hint)")
    }

    /// Stores to which a program without a secret may sign people in.
    private static let publicKinds: Set<DriveKind> = [.oneDrive, .dropbox]

    private func client(of kind: DriveKind, _ node: ConfigurationNode) throws -> DriveClient {
        let values = try node.mapping(["client_id", "client_secret_file"] + (kind == .oneDrive ? ["tenant"] : []))
        var client = DriveClient(id: try required("client_id", of: node, values, example: "client_id: …").text())
        client.secretFile = try values["client_secret_file"].map { path(try $0.text()) }
        if client.secretFile == nil, !Self.publicKinds.contains(kind) {
            _ = try required(
                "client_secret_file", of: node, values, example: "client_secret_file: \(kind.rawValue).secret")
        }
        if let tenant = values["tenant"] {
            client.tenant = try tenant.text()
            guard client.tenant.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || "-.".utf8.contains($0) }) else {
                throw tenant.error("must be the id or the domain of a directory, common, organizations or consumers")
            }
        }
        return client
    }

    /// rclone asks no proxy about `localhost` and 127.0.0.0/8, and in its network they are empty.
    private func host(_ node: ConfigurationNode) throws -> AllowedHost {
        let host = try allowedHost(node)
        guard !AllowedHost.isThisMachine(host.name) else {
            throw node.error("must be another host: this machine needs a name of its own, not localhost or 127.0.0.1")
        }
        return host
    }

    /// A host, with a port or without one.
    func allowedHost(_ node: ConfigurationNode) throws -> AllowedHost {
        guard let host = AllowedHost(try node.text()) else {
            throw node.error("must be a host, or a host and a port, as in cloud.corp.example:8443")
        }
        return host
    }
}
