import DriveBridge
import FundCore

/// The section `drives`.
extension ConfigurationDecoder {
    /// Nil for `off`.
    func drives(_ node: ConfigurationNode) throws -> DriveRules? {
        var rules = DriveRules()
        switch try? node.string() {
        case "off": return nil
        case "on": return rules
        default: break
        }
        let values = try node.mapping(["kinds", "hosts", "private_hosts", "tls_ca_file"])
        if let list = values["kinds"] { rules.kinds = Set(try list.list().map(kind)) }
        if let list = values["hosts"] { rules.hosts = try list.list().map(host) }
        if let list = values["private_hosts"] { rules.privateHosts = try list.list().map(host) }
        rules.authorityFile = try values["tls_ca_file"].map { path(try $0.text()) }
        return rules
    }

    private func kind(_ node: ConfigurationNode) throws -> DriveKind {
        guard let kind = DriveKind(rawValue: try node.text()), DriveRules.offered.contains(kind) else {
            let names = DriveRules.offered.map(\.rawValue).sorted().joined(separator: ", ")
            throw node.error("must be one of \(names)")
        }
        return kind
    }

    private func host(_ node: ConfigurationNode) throws -> DriveHost {
        guard let host = DriveHost(try node.text()) else {
            throw node.error(
                "must be a host, or a host and a port, as in cloud.corp.example:8443; this machine needs a name of its "
                    + "own for it, not localhost or 127.0.0.1")
        }
        return host
    }
}
