internal import Mustache

/// The templates of the pages (https://mustache.github.io/mustache.5.html), embedded in the program. Every value is
/// escaped: no template holds `{{{` or `{{&`, and no value is a lambda, whose result would be read as a template.
struct PageTemplates: Sendable {
    static let sources: [String: [UInt8]] = [
        "account": PackageResources.account_mustache, "again": PackageResources.again_mustache,
        "edit": PackageResources.edit_mustache, "email": PackageResources.email_mustache,
        "error": PackageResources.error_mustache, "file": PackageResources.file_mustache,
        "files": PackageResources.files_mustache, "foot": PackageResources.foot_mustache,
        "fundhead": PackageResources.fundhead_mustache, "head": PackageResources.head_mustache,
        "home": PackageResources.home_mustache, "mail": PackageResources.mail_mustache,
        "note": PackageResources.note_mustache, "notes": PackageResources.notes_mustache,
        "search": PackageResources.search_mustache, "sent": PackageResources.sent_mustache,
        "signin": PackageResources.signin_mustache, "trash": PackageResources.trash_mustache,
    ]

    private let library: MustacheLibrary

    /// Throws for a template that cannot be read.
    init() throws {
        var library = MustacheLibrary()
        for (name, source) in Self.sources {
            try library.register(String(decoding: source, as: UTF8.self), named: name)
        }
        self.library = library
    }

    /// Traps for a name that no template has; it is a constant of this program.
    func render(_ name: String, _ model: PageModel) -> String {
        guard let text = library.render(model, withTemplate: name) else { preconditionFailure("no template \(name)") }
        return text
    }
}
