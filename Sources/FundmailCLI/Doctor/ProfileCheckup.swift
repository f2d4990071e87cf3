import Dispatch
import FundCore
import FundHTTP
import Terminal

/// Looks at what signs profiles, and at what devices are to trust by them. Signs a sample, and throws it away.
struct ProfileCheckup {
    private static let sample = Array("<plist/>".utf8)
    private static let queue = DispatchQueue(label: "fundmail.doctor.profiles")

    private let configuration: Configuration
    private let now: Timestamp
    private var findings = DoctorFindings()

    static func findings(_ configuration: Configuration, now: Timestamp = .now) async -> DoctorFindings {
        await queue.run {
            var checkup = ProfileCheckup(configuration: configuration, now: now)
            checkup.run()
            return checkup.findings
        }
    }

    private init(configuration: Configuration, now: Timestamp) {
        (self.configuration, self.now) = (configuration, now)
    }

    private mutating func run() {
        if let file = configuration.profiles.authorityFile { checkAuthority(file) }
        guard let files = configuration.profileIdentity else {
            // A server without an address for devices has no profiles.
            guard configuration.server?.publicURL != nil else { return }
            return findings.warn(
                .profiles, "they are not signed, and devices say so; add profiles: {certificate: …, key: …}")
        }
        // The certificate of the web server is looked at as its own.
        if configuration.profiles.identity != nil {
            CertificateCheckup(
                files: files, subject: .profiles, loss: "devices show profiles as not verified", now: now
            ).check(&findings)
        }
        guard findings.status == nil else { return }
        do throws(ProfileError) {
            _ = try ProfileSigner(files: files).sign(Self.sample)
            findings.ok(.profiles, "they are signed with \(files.certificateFile)")
        } catch {
            fail("they cannot be signed: \(error)", ExitStatus(error.condition))
        }
    }

    private mutating func checkAuthority(_ file: String) {
        do throws(ProfileError) {
            let certificates = try ProfileAuthority.certificates(in: file)
            for certificate in certificates {
                guard let problem = Self.problem(with: certificate, now: now) else { continue }
                return fail("the authority \(file) \(problem)", .configuration)
            }
            findings.ok(.profiles, "devices are made to trust \(file) for every server")
        } catch {
            fail("\(error)", ExitStatus(error.condition))
        }
    }

    /// Why a device would not take a certificate as an authority; nil when nothing is known.
    private static func problem(with certificate: [UInt8], now: Timestamp) -> String? {
        guard let validity = try? CertificateFacts.validity(ofDER: certificate) else {
            return "holds a certificate that cannot be read"
        }
        guard validity.contains(now) else {
            return now > validity.upperBound
                ? "expired on \(Clock.local(validity.upperBound))"
                : "is not valid before \(Clock.local(validity.lowerBound))"
        }
        let words = ["x509", "-inform", "DER", "-noout", "-ext", "basicConstraints"]
        guard let run = try? OpenSSLRun(words, inputs: [certificate]), run.failure == nil else { return nil }
        return String(decoding: run.output, as: UTF8.self).contains("CA:TRUE")
            ? nil : "holds a certificate that is none of an authority (basic constraints without CA)"
    }

    private mutating func fail(_ text: String, _ status: ExitStatus) {
        findings.fail(.profiles, CommandError(status, text))
    }
}
