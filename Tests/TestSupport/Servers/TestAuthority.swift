/// A certificate authority made by openssl for this run, and server certificates of every kind that a client must tell
/// apart.
package final class TestAuthority: Sendable {
    package enum Certificate: String, CaseIterable, Sendable {
        /// For `localhost` and 127.0.0.1.
        case valid
        case expired
        /// Good, but only for a week.
        case ending
        /// For another host.
        case wrongHost
        /// Valid, but signed by an untrusted authority.
        case otherAuthority
        case selfSigned
        /// Valid, for the hosts of cloud stores.
        case stores
    }

    /// One for all tests of a process: making the keys takes a while.
    package static let shared = Result { try TestAuthority() }

    private let folder: String
    /// Does nothing but take the folder with it when the tests end.
    private let keeper: ServerProcess

    /// The file that `tls_ca_file` names.
    package var caFile: String { "\(folder)/authority.pem" }

    package func certificatePath(_ certificate: Certificate) -> String { "\(folder)/\(certificate.rawValue).pem" }
    package func keyPath(_ certificate: Certificate) -> String { "\(folder)/\(certificate.rawValue).key" }

    private init() throws {
        folder = try TestFile.makeFolder("authority")
        keeper = try ServerProcess(["sleep", "infinity"], folder: folder)
        try Self.makeAuthority("authority", in: folder)
        try Self.makeAuthority("other", in: folder)
        let here = "DNS:localhost,IP:127.0.0.1"
        try sign(.valid, names: here)
        try sign(.expired, names: here, days: -1)
        try sign(.ending, names: here, days: 7)
        try sign(.wrongHost, names: "DNS:mail.example.org")
        try sign(.otherAuthority, names: here, by: "other")
        try sign(.stores, names: FakeStore.hosts.map { "DNS:\($0)" }.joined(separator: ","))
        try Self.openssl(
            "req -x509 -nodes -days 30 -subj /CN=localhost -addext subjectAltName=\(here) -keyout "
                + "\(keyPath(.selfSigned)) -out \(certificatePath(.selfSigned))", newKey: true)
        // Servers that run as another user read them.
        try ToolRun.output(["chmod", "-R", "a+rX", folder])
    }

    private static func makeAuthority(_ name: String, in folder: String) throws {
        try openssl(
            "req -x509 -nodes -days 30 -subj /CN=fundmail-test-\(name) -keyout \(folder)/\(name).key "
                + "-out \(folder)/\(name).pem", newKey: true)
    }

    private func sign(
        _ certificate: Certificate, names: String, days: Int = 30, by authority: String = "authority"
    ) throws {
        let request = "\(folder)/\(certificate.rawValue).csr"
        try Self.openssl(
            "req -nodes -subj /CN=fundmail-test -addext subjectAltName=\(names) -keyout \(keyPath(certificate)) "
                + "-out \(request)", newKey: true)
        try Self.openssl(
            "x509 -req -in \(request) -CA \(folder)/\(authority).pem -CAkey \(folder)/\(authority).key "
                + "-CAcreateserial -copy_extensions copy -days \(days) -out \(certificatePath(certificate))")
    }

    private static func openssl(_ words: String, newKey: Bool = false) throws {
        let key = newKey ? ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"] : []
        try ToolRun.output(["openssl"] + words.split(separator: " ").map(String.init) + key)
    }
}
