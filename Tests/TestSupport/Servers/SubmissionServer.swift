internal import Foundation

/// An SMTP server on loopback that takes letters: aiosmtpd, with its own reading of commands, logins and the end of a
/// letter.
package final class SubmissionServer: Sendable {
    package enum Mode: String, Sendable { case plain, starttls, smtps }

    package let folder: String
    package let port: Int
    private let process: ServerProcess

    /// - Parameter token: of the user who logs in by OAuth.
    package init(_ mode: Mode, certificate: TestAuthority.Certificate = .valid, token: String = "none") throws {
        let authority = try TestAuthority.shared.get()
        folder = try TestFile.makeFolder("aiosmtpd")
        try TestFile.write(token, to: "\(folder)/token")
        let words = [
            "\(PackageRoot.path)/scripts/support/aiosmtpd", folder, mode.rawValue,
            authority.certificatePath(certificate), authority.keyPath(certificate),
        ]
        let process = try ServerProcess(words, folder: folder)
        self.process = process
        var failure: String { "aiosmtpd does not start: \(process.log)" }
        // The first time it is installed.
        port = try firstResult(orElse: failure) {
            if process.log.contains("Error") { throw ServerFailure(failure) }
            return process.log.split(separator: "\n").last.flatMap { Int($0) }
        }
    }

    package func stop() { process.stop() }

    /// The letters that it took, as they came.
    package var letters: [[UInt8]] {
        get throws {
            let names = TestFile.names(in: folder).filter { $0.hasSuffix(".eml") }
            return try names.map { try TestFile.read("\(folder)/\($0)") }
        }
    }

    package struct Facts: Decodable, Equatable {
        package var from: String
        package var to: [String]
        package var encrypted: Bool
        package var host: String
    }

    /// The envelope of a letter, numbered from 1.
    package func facts(_ number: Int) throws -> Facts {
        try JSONDecoder().decode(Facts.self, from: Data(TestFile.read("\(folder)/\(number).json")))
    }
}
