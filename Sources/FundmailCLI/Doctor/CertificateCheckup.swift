import FundCore
import FundHTTP
import Glibc
import MailWatch
import Terminal

/// Looks at a certificate of this program and its key: whether both can be read, belong together, and are valid now.
struct CertificateCheckup {
    let files: ServerConfiguration.Certificate
    let subject: Finding.Subject
    /// The harm of an expired certificate: `browsers warn of these pages`.
    let loss: String
    let now: Timestamp

    func check(_ findings: inout DoctorFindings) {
        let named = [("certificate", files.certificateFile), ("key", files.keyFile)]
        var isReadable = true
        for (name, path) in named where access(path, R_OK) != 0 {
            isReadable = false
            let next =
                path.hasPrefix(ConfigurationDecoder.credentialsMark)
                ? "; only a service of systemd has it: systemctl start fundmail-doctor" : ": \(SystemText.of(errno))"
            fail("the \(name) \(path) cannot be read\(next)", &findings)
        }
        for (name, path) in named where isReadable && !Self.isRegular(path) {
            isReadable = false
            fail("the \(name) \(path) cannot be read: it is no regular file", &findings)
        }
        guard isReadable else { return }
        for problem in SecretFileCheck.permissionProblems(with: files.keyFile, key: "tls key") {
            findings.warn(subject, problem)
        }
        do throws(CertificateFacts.Problem) {
            let facts = try CertificateFacts(certificateFile: files.certificateFile, keyFile: files.keyFile)
            report(facts.validity, &findings)
        } catch {
            switch error {
            case .certificate: fail("\(files.certificateFile) holds no certificate in PEM", &findings)
            case .key: fail("\(files.keyFile) holds no private key in PEM without a passphrase", &findings)
            case .mismatch:
                fail("the key \(files.keyFile) does not belong to the certificate \(files.certificateFile)", &findings)
            }
        }
    }

    private static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private func report(_ validity: ClosedRange<Timestamp>, _ findings: inout DoctorFindings) {
        let file = files.certificateFile
        if now > validity.upperBound {
            return fail("the certificate \(file) expired on \(Clock.local(validity.upperBound)): \(loss)", &findings)
        }
        if now < validity.lowerBound {
            return fail(
                "the certificate \(file) is not valid before \(Clock.local(validity.lowerBound)): \(loss)", &findings)
        }
        switch CredentialCheckup.certificate(validity.upperBound, now: now, loss: loss) {
        case .ok(let text): findings.ok(subject, text)
        case .warning(let text): findings.warn(subject, text)
        case .failure(let failure): findings.fail(subject, failure)
        }
    }

    private func fail(_ text: String, _ findings: inout DoctorFindings) {
        findings.fail(subject, CommandError(.configuration, text))
    }
}
