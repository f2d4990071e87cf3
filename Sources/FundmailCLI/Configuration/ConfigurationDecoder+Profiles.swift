internal import MailConnection
import FundCore
import MailFetch
import MailSend

/// The section `profiles`.
extension ConfigurationDecoder {
    private static let maxOrganizationBytes = 200

    func profiles(_ node: ConfigurationNode) throws -> ProfileConfiguration {
        let values = try node.mapping(["certificate", "key", "authority", "mail", "organization"])
        var profiles = ProfileConfiguration()
        if values["certificate"] != nil || values["key"] != nil {
            profiles.identity = ServerConfiguration.Certificate(
                certificateFile: path(
                    try required("certificate", of: node, values, example: "certificate: profiles.pem").text()),
                keyFile: path(try required("key", of: node, values, example: "key: profiles.key").text()))
        }
        profiles.authorityFile = try values["authority"].map { path(try $0.text()) }
        profiles.mail = try values["mail"].map(mailServers)
        profiles.organization = try values["organization"].map { node in
            let name = try node.text()
            guard name.utf8.count <= Self.maxOrganizationBytes, name == name.label, name.hasVisibleScalar else {
                throw node.error("must be one line of at most \(Self.maxOrganizationBytes) bytes")
            }
            return name
        }
        return profiles
    }

    private func mailServers(_ node: ConfigurationNode) throws -> ProfileSettings.MailServers {
        let values = try node.mapping(["imap", "smtp"])
        let imap = try required("imap", of: node, values, example: "imap: imaps://mail.corp.example")
        let smtp = try required("smtp", of: node, values, example: "smtp: smtps://mail.corp.example")
        let ports = MailServerAddress.Scheme.self
        return ProfileSettings.MailServers(
            imap: try mailServer(imap, [("imaps", ports.imaps.defaultPort), ("imap", ports.imap.defaultPort)]),
            smtp: try mailServer(
                smtp, SubmissionAddress.Scheme.allCases.map { ($0.rawValue, $0.defaultPort) }))
    }

    /// A URL of scheme, host and port: the user is each person's own address.
    private func mailServer(
        _ node: ConfigurationNode, _ schemes: [(name: String, port: UInt16)]
    ) throws -> ProfileSettings.MailServer {
        let text = try node.text()
        let names = schemes.map { "\($0.name)://" }.joined(separator: " or ")
        guard let mark = text.firstRange(of: "://"),
            let scheme = schemes.first(where: { $0.name == text[..<mark.lowerBound].lowercased() })
        else { throw node.error("must begin with \(names)") }
        guard !text.contains("@") else { throw node.error("names a user; each person's own address is the user") }
        var authority = text[mark.upperBound...]
        while authority.last == "/" { authority = authority.dropLast() }
        guard let server = HostAndPort(authority, defaultPort: scheme.port) else {
            throw node.error("names no host, or a port that is no number from 1 to 65535")
        }
        return ProfileSettings.MailServer(host: server.host, port: server.port)
    }
}
