internal import FundCore
internal import Hummingbird

extension PageRoute {
    private static let profilePath = "/account/profiles"

    /// Profiles that set up the person's iPhone, iPad or Mac.
    static let profileRoutes: [PageRoute] = [
        .get(profilePath) { call in try await profilePage(call) },
        .get("\(profilePath)/\(DeviceProfile.fileName)") { call in
            let query = try call.query()
            let chosen = try ProfilePart.allCases.filter { try query.flag($0.rawValue) }
            guard !chosen.isEmpty else { return try await profilePage(call, isEmpty: true) }
            return try await call.profile(of: Set(chosen), in: ProfileLanguage(rawValue: call.language.rawValue) ?? .en)
        },
    ]

    /// - Parameter isEmpty: whether a profile without parts was asked for.
    private static func profilePage(_ call: PageCall, isEmpty: Bool = false) async throws -> Response {
        let offer = try await call.profileOffer()
        let server = call.pages.publicURL ?? DriveAddress(call).server
        var model: PageModel = [
            "atAccount": true, "here": profilePath, "action": "\(profilePath)/\(DeviceProfile.fileName)",
            "isOffered": !offer.parts.isEmpty, "isUnsigned": offer.signer == .nobody,
            "isSignerExpired": offer.isSignerExpired,
            "hasAuthority": offer.parts.contains(.authority), "hasContacts": offer.parts.contains(.contacts),
            "hasMail": offer.parts.contains(.mail), "email": try call.user.email, "url": server + profilePath,
            "parts": offer.parts.map { part in
                [
                    "name": part.rawValue, "text": call.words("profiles.part.\(part.rawValue)"),
                    "hint": call.words("profiles.hint.\(part.rawValue)"), "isChosen": !isEmpty,
                ] as PageModel
            },
        ]
        if let code = try? QRCode(server + profilePath) { model["qr"] = code.model(label: call.words("profiles.code")) }
        if isEmpty, let first = offer.parts.first { model.fail(call.words("profiles.none"), at: first.rawValue) }
        return call.page(
            "profiles", model, title: call.words("profiles.title"), status: isEmpty ? .unprocessableContent : .ok)
    }
}
