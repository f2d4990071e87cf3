internal import Foundation

/// Cloud stores in Python, by id and with OAuth 2.0, under their real names: Box, Dropbox, Google Drive, OneDrive and
/// pCloud. `FakeStores/store.py` says what can be ordered of them.
package final class FakeStore: Sendable {
    /// The hosts of their programs' interfaces.
    package static let hosts = [
        "api.box.com", "upload.box.com", "dl.boxcloud.com", "api.dropboxapi.com", "content.dropboxapi.com",
        "www.googleapis.com", "oauth2.googleapis.com", "graph.microsoft.com", "login.microsoftonline.com",
        "corp-my.sharepoint.com", "api.pcloud.com", "eapi.pcloud.com", "p-lux1.pcloud.com",
    ]

    package static let clientID = "canary-client-id"
    package static let tenant = "canary-tenant"

    package let port: Int
    /// A file with the secret of the client.
    package let secretFile: String
    private let process: ServerProcess

    package init() throws {
        let folder = try TestFile.makeFolder("stores")
        secretFile = "\(folder)/secret"
        try TestFile.write("canary-client\n", to: secretFile)
        let authority = try TestAuthority.shared.get()
        let process = try ServerProcess(
            [
                "python3", "-B", "-u", "\(PackageRoot.path)/Tests/TestSupport/FakeStores/store.py",
                authority.certificatePath(.stores), authority.keyPath(.stores), folder,
            ], folder: folder)
        self.process = process
        port = try firstResult(orElse: "the stores do not start: \(process.log)") {
            process.log.split(separator: "port ").first.flatMap { Int($0.prefix { $0.isNumber }) }
        }
    }

    /// The requests that came, a line each.
    package var log: [String] { process.log.split(separator: "\n").map(String.init) }

    /// How many lines begin with a text.
    package func count(_ beginning: String) -> Int { log.count { $0.hasPrefix(beginning) } }

    /// The server in the place of each host.
    package var substitutes: [String: String] {
        Dictionary(uniqueKeysWithValues: Self.hosts.map { ($0, "127.0.0.1:\(port)") })
    }

    /// Replaces the orders by a JSON object.
    package func order(_ json: String) throws {
        let path = "\(process.folder)/orders"
        try TestFile.write(json, to: path + ".new")
        guard rename(path + ".new", path) == 0 else { throw ServerFailure("rename: \(errno)") }
    }

    /// Consents on the page of a store, as a person does. Returns the fields of the address to which it leads back.
    package func consent(_ page: String) throws -> [String: String] {
        let authority = try TestAuthority.shared.get()
        // The pages of people have no certificate here: no program of ours opens them.
        let location = try ToolRun.output([
            "curl", "--silent", "--show-error", "--insecure", "--http1.1", "--cacert", authority.caFile, "--connect-to",
            "::127.0.0.1:\(port)", "--output", "/dev/null", "--write-out", "%{redirect_url}", page,
        ])
        let items = URLComponents(string: location)?.queryItems ?? []
        guard !items.isEmpty else { throw ServerFailure("no way back from \(page): \(location)") }
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    package func stop() { process.stop() }
}
