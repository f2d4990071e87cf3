import Dispatch
import FundCore
import FundHTTP
import FundStore

/// The profiles of this server, by its current configuration.
struct DeviceProfiles: ProfileSource {
    /// Profiles are signed one after the other.
    private static let queue = DispatchQueue(label: "fundmail.profiles")

    let configuration: @Sendable () -> Configuration
    let store: FundStore

    func offer() async throws -> ProfileOffer {
        let current = configuration()
        var offer = ProfileOffer(
            parts: try await settings(current, readsFiles: false).parts, signer: current.profileSigner)
        if let file = current.profileIdentity?.certificateFile {
            offer.isSignerExpired = await Self.queue.run {
                // One that cannot be read is told where a profile is made.
                (try? CertificateFacts.validity(ofFile: file)).map { $0.upperBound < .now } ?? false
            }
        }
        return offer
    }

    func profile(_ order: ProfileOrder) async throws -> [UInt8] {
        let current = configuration()
        let settings = try await settings(current, readsFiles: true)
        guard !order.parts.isEmpty, order.parts.isSubset(of: settings.parts) else {
            let names = settings.parts.map(\.rawValue)
            let known = names.isEmpty ? "this server offers none" : "choose among \(names.joined(separator: ", "))"
            throw ProfileError(.parts, "a profile has one part at least; \(known)")
        }
        let content = DeviceProfile(order, settings).bytes
        guard let files = current.profileIdentity else { return content }
        return try await Self.queue.run { () throws(ProfileError) in try ProfileSigner(files: files).sign(content) }
    }

    /// - Parameter readsFiles: false for what is offered alone.
    private func settings(_ configuration: Configuration, readsFiles: Bool) async throws -> ProfileSettings {
        var settings = ProfileSettings(
            store: try await store.maintenance.storeNumber(), publicURL: configuration.server?.publicURL)
        settings.mail = configuration.profiles.mail
        settings.organization = configuration.profiles.organization
        if let file = configuration.profiles.authorityFile {
            settings.authorities = readsFiles ? try ProfileAuthority.certificates(in: file) : [[]]
        }
        return settings
    }
}

extension Configuration {
    /// The certificate and key that sign profiles; nil: profiles are not signed.
    var profileIdentity: ServerConfiguration.Certificate? { profiles.identity ?? server?.tls }

    var profileSigner: ProfileOffer.Signer {
        profiles.identity != nil ? .profiles : server?.tls != nil ? .server : .nobody
    }
}
