/// A part of a profile. The raw values are its names in addresses and in the web API.
package enum ProfilePart: String, Sendable, Hashable, CaseIterable {
    /// An icon on the home screen that opens the pages.
    case webClip = "web_clip"
    /// The certificates of a private authority, which the device trusts from then on.
    case authority
    /// The contacts, by CardDAV.
    case contacts
    /// The person's mail account.
    case mail
}

/// A language in which a profile describes itself to its reader.
package enum ProfileLanguage: String, Sendable, Hashable, CaseIterable {
    case en, zh

    /// The text in this language.
    func callAsFunction(_ english: String, _ chinese: String) -> String { self == .en ? english : chinese }
}

/// A request for the profile of one person.
package struct ProfileOrder: Sendable, Hashable {
    package var user: User
    package var parts: Set<ProfilePart>
    package var language: ProfileLanguage

    package init(for user: User, parts: Set<ProfilePart>, language: ProfileLanguage) {
        (self.user, self.parts, self.language) = (user, parts, language)
    }
}

/// The parts that profiles of this server can have, and who signs them.
package struct ProfileOffer: Sendable, Hashable {
    /// The identity by which a profile is signed.
    package enum Signer: String, Sendable, CaseIterable {
        /// The certificate that the configuration has for profiles.
        case profiles
        /// The certificate of the web server.
        case server
        /// None: devices show that the profile is not signed.
        case nobody
    }

    /// In the order in which they are shown.
    package var parts: [ProfilePart]
    package var signer: Signer
    /// Whether the certificate of the signer is not valid any more: devices show the profile as not verified.
    package var isSignerExpired = false

    package init(parts: [ProfilePart] = [], signer: Signer = .nobody) { (self.parts, self.signer) = (parts, signer) }
}
