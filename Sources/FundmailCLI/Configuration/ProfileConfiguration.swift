import FundCore

/// Profiles that set up people's devices.
struct ProfileConfiguration: Sendable, Hashable {
    /// Signs them; nil: the certificate of the web server does.
    var identity: ServerConfiguration.Certificate?
    /// PEM file of a private certificate authority that devices are to trust.
    var authorityFile: String?
    /// The servers of people's own mail; nil leaves mail out.
    var mail: ProfileSettings.MailServers?
    /// Name of the organisation; nil: the host of the pages.
    var organization: String?
}
