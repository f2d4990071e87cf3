/// The parts that all pages are made of. A class, since each request refers to all of them.
final class PageParts: Sendable {
    let web: ApplicationParts
    let templates: PageTemplates
    private let embeddedAssets = PageAssets.embedded
    let sessions: PageSessions
    let unsubscribing: UnsubscribeSeal
    let pictureGrants = PictureGrants()
    let sidebars: Sidebars
    /// Nil shows mail as text alone.
    let sanitizedMails: SanitizedMails?
    /// To what people write mail for their funds; nil when the configuration does not tell.
    let mailAddress: @Sendable () -> String?
    let setup: SetupParts
    /// Nil for a store of people's own.
    let demo: DemoSite?
    /// Days for which what people delete can be restored; nil for good.
    let restorableDays: @Sendable () -> Int?

    /// Address of this server for people; nil when only their requests tell it.
    let publicURL: String?

    var assets: PageAssets {
        #if DEBUG
            if EmbeddedFiles.pages != nil { return PageAssets() }
        #endif
        return embeddedAssets
    }

    /// Throws when a template cannot be read.
    init(
        _ web: ApplicationParts, serverKey: [UInt8], publicURL: String?, publicAuthorities: [String],
        mailAddress: @escaping @Sendable () -> String?, setup: SetupParts, demo: DemoSite?,
        restorableDays: @escaping @Sendable () -> Int?
    ) throws {
        self.web = web
        self.publicURL = publicURL
        self.setup = setup
        self.demo = demo
        self.mailAddress = mailAddress
        self.restorableDays = restorableDays
        sidebars = Sidebars(library: web.store.library, letters: web.store.letters, news: web.store.news)
        sanitizedMails = web.sanitizer.map { SanitizedMails(sanitizer: $0) }
        templates = try PageTemplates()
        unsubscribing = UnsubscribeSeal(serverKey: serverKey)
        sessions = PageSessions(serverKey: serverKey, publicAuthorities: publicAuthorities)
    }
}
