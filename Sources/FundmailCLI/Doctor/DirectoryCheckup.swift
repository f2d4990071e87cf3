internal import MailConnection
import Dispatch
import FundCore
import Logging
import MailWatch
import Terminal

/// Looks at the company's directory of people: its file, or the address book on another server. Keeps nothing of it.
struct DirectoryCheckup {
    private static let queue = DispatchQueue(label: "fundmail.doctor.directory")

    private var findings = DoctorFindings()

    static func findings(_ directory: DirectoryConfiguration, isOffline: Bool) async -> DoctorFindings {
        await queue.run {
            var checkup = DirectoryCheckup()
            switch directory {
            case .file(let path): checkup.look(DirectoryFile(path: path))
            case .server(let server): checkup.check(server, isOffline: isOffline)
            }
            return checkup.findings
        }
    }

    private mutating func check(_ server: CardServerConfiguration, isOffline: Bool) {
        let credential = server.login?.credential
        for result in CredentialCheckup.files(credential, caFile: server.caFile, isOffline: isOffline) { add(result) }
        guard !isOffline, findings.status == nil else { return }
        let source = DirectoryServer(
            server, copy: nil, cancellation: Cancellation(), logger: Logger(label: "fundmail.doctor"))
        let looked = look(source)
        guard findings.status == nil, let expiry = looked.certificateExpiry else { return }
        add(CredentialCheckup.certificate(expiry, now: .now, loss: "the directory is not read any more"))
    }

    @discardableResult
    private mutating func look<Source: DirectorySource>(_ source: Source) -> Source {
        var source = source
        do {
            let directory = try source.look()
            let count = directory?.people.count ?? 0
            findings.ok(.directory, "\(count == 1 ? "1 person" : "\(count) people") in \(source.name)")
            if directory?.hasLeftOut == true {
                findings.warn(.directory, "it has more cards than that: \(DirectoryService.leftOut)")
            }
        } catch {
            let failure = source.failure(error)
            findings.fail(.directory, CommandError(failure.status, "\(source.name): \(failure.message)"))
        }
        return source
    }

    private mutating func add(_ result: CredentialCheckup.Result) {
        switch result {
        case .ok(let text): findings.ok(.directory, text)
        case .warning(let text): findings.warn(.directory, text)
        case .failure(let failure): findings.fail(.directory, failure)
        }
    }
}
