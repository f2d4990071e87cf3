internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension WebRoute {
    /// Profiles that set up the user's own devices.
    static let profileRoutes: [WebRoute] = [
        .get("/v1/profiles") { call in
            let offer = try await call.profileOffer()
            return call.json { json in
                json.field("parts", offer.parts.map(\.rawValue)) { $0.value($1) }
                json.field("signer", offer.signer == .nobody ? nil : offer.signer.rawValue)
                json.field("signer_expired", offer.isSignerExpired)
            }
        },
        .get("/v1/profiles/apple") { call in
            let query = try call.query()
            let offered = try await call.profileOffer().parts
            return try await call.profile(of: try parts(query) ?? Set(offered), in: try language(query))
        },
    ]

    /// Nil where the query names none. Throws 400 for a word that is no part.
    private static func parts(_ query: QueryText) throws -> Set<ProfilePart>? {
        guard let list = query["parts"] else { return nil }
        let parts = list.split(separator: ",", omittingEmptySubsequences: false)
            .map { ProfilePart(rawValue: String($0)) }
        guard !parts.contains(nil) else {
            let names = ProfilePart.allCases.map(\.rawValue).joined(separator: ", ")
            throw RequestError.invalid("parts must be a list of \(names)")
        }
        return Set(parts.compactMap { $0 })
    }

    private static func language(_ query: QueryText) throws -> ProfileLanguage {
        guard let word = query.word("language") else { return .en }
        guard let language = ProfileLanguage(rawValue: word) else {
            throw RequestError.invalid("language must be en or zh")
        }
        return language
    }
}
