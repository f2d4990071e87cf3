/// The templates of the pages, embedded in the program.
struct PageTemplates: Sendable {
    static let sources: [String: [UInt8]] = [
        "account": PackageResources.account_mustache, "again": PackageResources.again_mustache,
        "badge": PackageResources.badge_mustache, "pageviewer": PackageResources.pageviewer_mustache,
        "beside": PackageResources.beside_mustache, "move": PackageResources.move_mustache,
        "paging": PackageResources.paging_mustache, "refused": PackageResources.refused_mustache,
        "draft": PackageResources.draft_mustache, "edit": PackageResources.edit_mustache,
        "email": PackageResources.email_mustache,
        "error": PackageResources.error_mustache, "file": PackageResources.file_mustache,
        "filefields": PackageResources.filefields_mustache,
        "files": PackageResources.files_mustache, "foot": PackageResources.foot_mustache,
        "fundhead": PackageResources.fundhead_mustache, "head": PackageResources.head_mustache,
        "home": PackageResources.home_mustache, "mail": PackageResources.mail_mustache,
        "note": PackageResources.note_mustache, "notes": PackageResources.notes_mustache,
        "leaving": PackageResources.leaving_mustache, "letter": PackageResources.letter_mustache,
        "mailbar": PackageResources.mailbar_mustache,
        "search": PackageResources.search_mustache, "sent": PackageResources.sent_mustache,
        "sentfund": PackageResources.sentfund_mustache,
        "signin": PackageResources.signin_mustache, "trash": PackageResources.trash_mustache,
        "addresscard": PackageResources.addresscard_mustache, "card": PackageResources.card_mustache,
        "favouriterows": PackageResources.favouriterows_mustache,
        "favourites": PackageResources.favourites_mustache, "manage": PackageResources.manage_mustache,
        "qr": PackageResources.qr_mustache, "star": PackageResources.star_mustache,
        "desk": PackageResources.desk_mustache, "deskacted": PackageResources.deskacted_mustache,
        "deskcard": PackageResources.deskcard_mustache, "decklater": PackageResources.decklater_mustache,
        "deskfile": PackageResources.deskfile_mustache, "deskdanger": PackageResources.deskdanger_mustache,
        "deskchoose": PackageResources.deskchoose_mustache,
        "deskdigest": PackageResources.deskdigest_mustache, "deskdone": PackageResources.deskdone_mustache,
        "deskform": PackageResources.deskform_mustache, "deskkeys": PackageResources.deskkeys_mustache,
        "desklearnt": PackageResources.desklearnt_mustache, "desklesson": PackageResources.desklesson_mustache,
        "desklist": PackageResources.desklist_mustache, "deskmessage": PackageResources.deskmessage_mustache,
        "deskrehearsal": PackageResources.deskrehearsal_mustache, "deskresult": PackageResources.deskresult_mustache,
        "deskrow": PackageResources.deskrow_mustache, "desktabs": PackageResources.desktabs_mustache,
        "style": PackageResources.style_mustache, "styletext": PageAssets.style,
        "audit": PackageResources.audit_mustache, "sentence": PackageResources.sentence_mustache,
        "people": PackageResources.people_mustache,
        "peopletabs": PackageResources.peopletabs_mustache, "person": PackageResources.person_mustache,
        "fundlist": PackageResources.fundlist_mustache, "anyfund": PackageResources.anyfund_mustache,
        "import": PackageResources.import_mustache, "reset": PackageResources.reset_mustache,
        "health": PackageResources.health_mustache, "healthchart": PackageResources.healthchart_mustache,
        "healthpatterns": PackageResources.healthpatterns_mustache,
        "mailboxes": PackageResources.mailboxes_mustache, "doctor": PackageResources.doctor_mustache,
        "finding": PackageResources.finding_mustache, "findings": PackageResources.findings_mustache,
        "mailboxnew": PackageResources.mailboxnew_mustache,
        "quarantine": PackageResources.quarantine_mustache,
        "setup": PackageResources.setup_mustache, "setupdone": PackageResources.setupdone_mustache,
        "setupperson": PackageResources.setupperson_mustache, "setupsteps": PackageResources.setupsteps_mustache,
    ]

    /// All templates, read once for all servers of a process.
    private static let all = Result {
        try Dictionary(uniqueKeysWithValues: sources.keys.map { ($0, try PageTemplate(named: $0, of: sources)) })
    }

    private let templates: [String: PageTemplate]

    /// Throws for a template that cannot be read.
    init() throws { templates = try Self.all.get() }

    /// Traps for a name that no template has; it is a constant of this program.
    func render(_ name: String, _ model: PageModel, in language: Language) -> [UInt8] {
        #if DEBUG
            if let sources = PageFolder.templates {
                do { return try PageTemplate(named: name, of: sources).render(model, in: language) } catch {
                    return Array("\(error)".utf8)
                }
            }
        #endif
        guard let template = templates[name] else { preconditionFailure("no template \(name)") }
        return template.render(model, in: language)
    }
}
