internal import FundHTTP
internal import FundCore

/// The fields that all forms of servers have: the protocol, the port, and the password, which is typed once.
struct ServerFields {
    /// The protocols of one form.
    struct Kind {
        /// In the order of the choice.
        let schemes: [String]
        /// Names of protocols, which no language translates.
        let names: [String: String]
        /// The purpose of a sealed password: it is good for this form alone.
        let seal: String
    }

    let scheme: String
    /// Zero, which is no port and is refused as one that is, for text that is no number; nil for none.
    let port: Int?
    /// The port as it was typed; it may be no number.
    let typedPort: String
    let password: String
    private let kind: Kind

    /// Throws 400 for a protocol that is none.
    init(_ form: FieldText, of kind: Kind, _ call: PageCall) throws {
        guard let scheme = form["scheme"], kind.schemes.contains(scheme) else {
            throw RequestError.invalid("there is no such protocol")
        }
        (self.kind, self.scheme) = (kind, scheme)
        typedPort = form["port"] ?? ""
        port = typedPort.isEmpty ? nil : QueryText.number(typedPort).flatMap { Int(exactly: $0) } ?? 0
        let typed = form["password"] ?? ""
        if typed.isEmpty, let sealed = form["sealed"], !sealed.isEmpty {
            password = try call.opened(sealed, of: kind.seal) ?? ""
        } else {
            password = typed
        }
    }

    /// The password for the form that is shown again, so that the page does not hold it, and it need not be typed
    /// again; nil without one.
    func sealedPassword(_ call: PageCall) throws -> String? {
        password.isEmpty ? nil : try call.sealed(password, of: kind.seal)
    }
}

extension ServerFields.Kind {
    /// The choice of a protocol.
    /// - Parameter other: the word for a protocol that has no name of its own.
    func choice(_ chosen: String, other: String = "") -> [PageModel] {
        schemes.map { .choice($0, names[$0] ?? other, isChosen: $0 == chosen) }
    }
}
