import FundCore

/// Profiles with all parts, without a signature; or none, for this reason.
struct SampleProfiles: ProfileSource {
    var failure: ProfileError?
    var isSignerExpired = false

    private static let settings: ProfileSettings = {
        var settings = ProfileSettings(store: 1, publicURL: "https://funds.corp.example")
        settings.authorities = [[1, 2, 3]]
        settings.mail = .init(
            imap: .init(host: "mail.corp.example", port: 993), smtp: .init(host: "mail.corp.example", port: 465))
        return settings
    }()

    func offer() async -> ProfileOffer {
        var offer = ProfileOffer(parts: Self.settings.parts, signer: isSignerExpired ? .profiles : .nobody)
        offer.isSignerExpired = isSignerExpired
        return offer
    }

    func profile(_ order: ProfileOrder) async throws -> [UInt8] {
        if let failure { throw failure }
        return DeviceProfile(order, Self.settings).bytes
    }
}
