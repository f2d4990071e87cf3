/// The templates of the pages, embedded in the program.
struct PageTemplates: Sendable {
    private static let folder = "Pages/Templates"

    static let sources = sources(of: EmbeddedFiles.names(in: folder)) { EmbeddedFiles.bytes("\(folder)/\($0)") }

    /// Templates by name, of their files.
    static func sources(of files: [String], _ bytes: (String) -> [UInt8]) -> [String: [UInt8]] {
        let ending = ".mustache"
        let templates = files.filter { $0.hasSuffix(ending) }.map { (String($0.dropLast(ending.count)), bytes($0)) }
        return Dictionary(uniqueKeysWithValues: templates + [("styletext", PageAssets.style)])
    }

    /// All templates, read once for all servers of a process.
    private static let all = Result {
        try Dictionary(uniqueKeysWithValues: sources.keys.map { ($0, try PageTemplate(named: $0, of: sources)) })
    }

    private let templates: [String: PageTemplate]

    /// Throws for a template that cannot be read.
    init() throws { templates = try Self.all.get() }

    /// Throws `PageTemplateError` for a name that no template has, and where the model lacks a value.
    func render(
        _ name: String, _ model: PageModel, in language: Language
    ) throws(PageTemplateError) -> [UInt8] {
        #if DEBUG
            if let sources = PageFolder.templates {
                do { return try PageTemplate(named: name, of: sources).render(model, in: language) } catch {
                    return Array("\(error)".utf8)
                }
            }
        #endif
        guard let template = templates[name] else { throw PageTemplateError(template: name, tag: ">") }
        return try template.render(model, in: language)
    }
}
