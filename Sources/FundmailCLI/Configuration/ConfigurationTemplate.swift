/// The file that `init` writes: `fundmail.yaml` beside this file, with all settings, optional ones commented out.
enum ConfigurationTemplate {
    static let text = String(decoding: PackageResources.fundmail_yaml, as: UTF8.self)
}
