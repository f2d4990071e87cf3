internal import Foundation

/// The values of a server that its profiles are made of.
package struct ProfileSettings: Sendable, Hashable {
    /// A mail server of people, as their devices reach it: always encrypted.
    package struct MailServer: Sendable, Hashable {
        package var host: String
        package var port: UInt16

        package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }
    }

    /// The servers of people's mail.
    package struct MailServers: Sendable, Hashable {
        package var imap: MailServer
        package var smtp: MailServer

        package init(imap: MailServer, smtp: MailServer) { (self.imap, self.smtp) = (imap, smtp) }
    }

    /// The address of the pages.
    struct Place: Sendable, Hashable {
        /// With the scheme, without a slash at the end.
        var url: String
        var host: String
        var port: Int
        var isEncrypted: Bool

        /// Nil for an address without a host.
        init?(_ text: String) {
            guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty else { return nil }
            url = text
            isEncrypted = parts.scheme == "https"
            port = parts.port ?? (isEncrypted ? 443 : 80)
            // Foundation leaves the brackets of an IPv6 address.
            self.host = host.filter { $0 != "[" && $0 != "]" }
        }
    }

    /// Number that tells the store from others.
    package var store: Int64
    /// Nil where the configuration does not tell it: then there is neither a web clip nor an account for contacts.
    let place: Place?
    /// X.509 certificates of private authorities, DER.
    package var authorities: [[UInt8]] = []
    /// Nil where the configuration does not tell them.
    package var mail: MailServers?
    /// Name of the organisation; nil: the host of the pages.
    package var organization: String?

    /// - Parameters:
    ///   - store: a random number that the store keeps.
    ///   - publicURL: address of the pages, without a slash at the end; nil when it is not known.
    package init(store: Int64, publicURL: String?) {
        self.store = store
        place = publicURL.flatMap(Place.init)
    }

    /// The parts that can be made of these values, in the order in which they are shown.
    package var parts: [ProfilePart] {
        ProfilePart.allCases.filter { part in
            switch part {
            case .webClip, .contacts: place != nil
            case .authority: !authorities.isEmpty
            case .mail: mail != nil
            }
        }
    }
}
