internal import Glibc

/// A real S3-compatible object store on loopback, with one user. Buckets are made by tests.
package final class ObjectStoreServer: Sendable {
    package enum Kind: Sendable {
        /// OpenStack Swift's S3 interface. It checks signatures, digests and conditions, and knows multipart.
        case swift
        /// moto, which takes any key.
        case moto
    }

    private static let swift = "swift==2.38.0"
    private static let moto = "moto[s3,server]==5.2.1"

    package static let keyID = "canary:ann"
    package static let secret = "canary+secret/of=the.store"

    /// For `.enabled(if:)`: whether moto was installed before, as `scripts/campaign/drives` does.
    package static var hasMoto: Bool { access("\(PackageRoot.path)/.build/pypi-\(moto)/whole", F_OK) == 0 }

    /// The one that tests share; runs until the test process ends.
    package static let shared = Result { try ObjectStoreServer(.swift) }

    package let port: Int
    private let process: ServerProcess
    private let held: HeldPort?

    /// - Parameters:
    ///   - certificate: nil serves without TLS; Swift alone has it.
    ///   - prefix: words in front of the program, as of `Faketime`.
    package init(
        _ kind: Kind, _ certificate: TestAuthority.Certificate? = nil, under prefix: [String] = []
    ) throws {
        let folder = try TestFile.makeFolder("objects")
        let runner = "\(PackageRoot.path)/scripts/support/pypi"
        switch kind {
        case .swift:
            let script = "\(PackageRoot.path)/Tests/TestSupport/ObjectStores/openstack_swift.py"
            let authority = try certificate.map { _ in try TestAuthority.shared.get() }
            let tls = authority.flatMap { authority in
                certificate.map { [authority.certificatePath($0), authority.keyPath($0)] }
            }
            let words = [runner, Self.swift, "python3", "-B", script, folder, Self.keyID, Self.secret] + (tls ?? [])
            let process = try ServerProcess(prefix + words, folder: folder)
            self.process = process
            held = nil
            // The first time it is installed.
            port = try firstResult(orElse: "Swift does not start: \(process.log)") {
                process.log.split(separator: "\n").first { $0.hasPrefix("port ") }.flatMap { Int($0.dropFirst(5)) }
            }
        case .moto:
            let held = try HeldPort()
            let process = try ServerProcess(
                prefix + [runner, Self.moto, "moto_server", "--host", "127.0.0.1", "--port", "\(held.number)"],
                folder: folder)
            (self.process, self.held, port) = (process, held, held.number)
            try firstResult(orElse: "moto does not start: \(process.log)") { () -> Void? in
                LoopbackSocket.connect(port: held.number).map { _ = close($0) }
            }
        }
    }

    package func stop() { process.stop() }

    package var log: String { process.log }

    /// The variables by which clients find the key.
    package static let environment = ["AWS_ACCESS_KEY_ID": keyID, "AWS_SECRET_ACCESS_KEY": secret]
}
