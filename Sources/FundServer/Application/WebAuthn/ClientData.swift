internal import Foundation
internal import FundCore

/// The part of a passkey's answer that the browser wrote (Web Authentication Level 3, §5.8.1).
struct ClientData: Sendable {
    private static let maxBytes = 4096

    private struct Fields: Decodable {
        var type: String
        var challenge: String
        var origin: String
        var crossOrigin: Bool?
        var topOrigin: String?
    }

    /// The act that a passkey signs. The raw values are the browsers'.
    enum Act: String, Sendable {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    let challenge: [UInt8]
    private let fields: Fields

    init(_ json: [UInt8]) throws(WebAuthnError) {
        guard json.count <= Self.maxBytes, let fields = try? JSONDecoder().decode(Fields.self, from: Data(json)),
            let challenge = Base64.bytes(url: fields.challenge)
        else { throw .malformed }
        self.fields = fields
        self.challenge = challenge
    }

    /// Throws unless it is for this act, and a page of the site itself asked for it, not one in a frame of another.
    func check(_ act: Act, by site: RelyingParty) throws(WebAuthnError) {
        guard fields.type == act.rawValue else { throw .wrongType }
        guard fields.origin == site.origin, fields.crossOrigin != true, fields.topOrigin == nil else {
            throw .wrongOrigin
        }
    }
}
