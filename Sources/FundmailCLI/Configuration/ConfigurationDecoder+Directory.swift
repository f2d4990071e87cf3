internal import MailConnection

/// The section `directory`.
extension ConfigurationDecoder {
    private static let serverKeys = ["carddav_url", "user", "tls_ca_file"] + credentialKeys

    mutating func directory(_ node: ConfigurationNode) throws -> DirectoryConfiguration {
        let values = try node.mapping(["vcard_file"] + Self.serverKeys)
        if let file = values["vcard_file"] {
            if let key = Self.serverKeys.first(where: { values[$0] != nil }), let value = values[key] {
                throw value.error("is for a server, and vcard_file names a file; keep one of them")
            }
            return .file(path(try file.text()))
        }
        guard let url = values["carddav_url"] else {
            throw node.error(
                "names no directory; add vcard_file: people.vcf, or carddav_url: https://cards.corp.example/people/")
        }
        let address: WebAddress
        do { address = try WebAddress(url: try url.text()) } catch let error as ConnectionError {
            throw url.error(error.detail)
        }
        var server = CardServerConfiguration(address: address)
        server.login = try login(node, values)
        server.caFile = try values["tls_ca_file"].map { path(try $0.text()) }
        if !address.isEncrypted {
            warnings.append("directory: http:// is not encrypted; password and cards travel readable on this machine")
        }
        return .server(server)
    }
}
