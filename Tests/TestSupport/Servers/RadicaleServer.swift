internal import Foundation

/// A real CardDAV server on loopback with one user and one address book: Radicale (https://radicale.org).
package final class RadicaleServer: Sendable {
    package static let user = "ann"
    package static let password = "sesame&street"
    private static let package = "radicale==3.5.0"

    package let port: Int
    private let process: ServerProcess
    private let isEncrypted: Bool

    /// - Parameter certificate: nil serves without TLS.
    package init(_ certificate: TestAuthority.Certificate? = .valid) throws {
        let folder = try TestFile.makeFolder("radicale")
        isEncrypted = certificate != nil
        try TestFile.write("\(Self.user):\(Self.password)\n", to: "\(folder)/users")
        var lines = ["[server]", "hosts = 127.0.0.1:0"]
        if let certificate {
            let authority = try TestAuthority.shared.get()
            lines += [
                "ssl = True", "certificate = \(authority.certificatePath(certificate))",
                "key = \(authority.keyPath(certificate))",
            ]
        }
        lines += [
            "[auth]", "type = htpasswd", "htpasswd_filename = \(folder)/users", "htpasswd_encryption = plain",
            "delay = 0", "[storage]", "filesystem_folder = \(folder)/data", "[web]", "type = none", "",
        ]
        try TestFile.write(lines.joined(separator: "\n"), to: "\(folder)/config")
        let words = [
            "\(PackageRoot.path)/scripts/support/pypi", Self.package, "radicale", "--config", "\(folder)/config",
        ]
        let process = try ServerProcess(words, folder: folder)
        self.process = process
        var failure: String { "Radicale does not start: \(process.log)" }
        // The first time it is installed.
        port = try firstResult(orElse: failure) {
            guard let line = process.log.split(separator: "\n").first(where: { $0.contains("Listening on") }) else {
                return nil
            }
            return line.split(separator: ":").last.flatMap { Int($0.filter(\.isNumber)) }
        }
        let book = """
            <mkcol xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"><set><prop><resourcetype><collection/>\
            <C:addressbook/></resourcetype></prop></set></mkcol>
            """
        try request("MKCOL", "", book)
    }

    package func stop() { process.stop() }

    /// The address of the server, without a slash at the end.
    package var root: String { "\(isEncrypted ? "https" : "http")://localhost:\(port)" }
    /// The address of the address book.
    package var book: String { "\(root)/\(Self.user)/people/" }

    /// Puts a card into the address book.
    package func put(_ card: String, at name: String) throws { try request("PUT", name, card) }

    package func delete(_ name: String) throws { try request("DELETE", name, nil) }

    private func request(_ method: String, _ name: String, _ body: String?) throws {
        let data = body.map { ["--data-binary", $0] } ?? []
        _ = try ToolRun.output(
            [
                "curl", "--silent", "--show-error", "--fail", "--insecure", "--request", method, "--user",
                "\(Self.user):\(Self.password)", "--header", "Content-Type: text/plain", book + name,
            ] + data)
    }
}
