internal import FundHTTP
internal import FundCore

/// The answer of a passkey to a challenge, as a form of our pages brings it.
struct PasskeyAnswer: Sendable {
    /// Bytes of a form with an answer: all its fields are short.
    static let maxFormBytes = 16 * 1024

    let credential: [UInt8]
    private let clientData: [UInt8]
    private let authenticatorData: [UInt8]
    private let signature: [UInt8]
    /// Handle of the user, as the device kept it; nil when it keeps none.
    let user: [UInt8]?

    /// Nil when a field is missing, or is no base64url.
    init?(_ form: FieldText) {
        func bytes(_ name: String) -> [UInt8]? {
            form[name].flatMap { $0.isEmpty ? nil : Base64.bytes(url: $0) }
        }
        guard let credential = bytes("credential"), credential.count <= PasskeyKey.maxCredentialBytes,
            let clientData = bytes("client"), let authenticatorData = bytes("data"), let signature = bytes("signature")
        else { return nil }
        self.credential = credential
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
        user = bytes("user")
    }

    var challenge: [UInt8]? { try? ClientData(clientData).challenge }

    /// The counter of the passkey, if it signed this answer to the site. Throws `WebAuthnError`.
    func counter(by key: PasskeyKey, to site: RelyingParty) throws -> Int64 {
        try ClientData(clientData).check(.get, by: site)
        return try site.counter(of: key, signing: clientData, authenticatorData, signature: signature)
    }
}
