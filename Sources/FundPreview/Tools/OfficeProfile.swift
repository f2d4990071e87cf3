internal import Glibc
import FundCore

/// The settings with which LibreOffice reads one document, made for the version that is installed.
struct OfficeProfile {
    /// soffice.bin, without the script that looks for Java first.
    let program: String
    /// registrymodifications.xcu
    let settings: String
    /// The file `extensions/buildid`. Without it the first start with a profile ends by starting itself again.
    let build: String

    /// Version of LibreOffice in Debian 12, where the files that say it are elsewhere.
    private static let knownVersion = "7.4"
    private static let maxFileBytes = 65536

    /// Nil where LibreOffice is not installed.
    init?() {
        guard let script = realpath("/usr/bin/soffice", nil) else { return nil }
        let path = String(cString: script)
        free(script)
        guard let end = path.lastIndex(of: "/") else { return nil }
        let folder = path[..<end]
        program = "\(folder)/soffice.bin"
        guard access(program, X_OK) == 0 else { return nil }
        func lines(_ name: String) -> NamedLines {
            let bytes = try? WholeFile.read("\(folder)/\(name)", maxBytes: Self.maxFileBytes)
            return NamedLines(bytes ?? [], divider: .equals)
        }
        build = lines("versionrc")["buildid"] ?? ""
        // "LibreOffice 7.4"
        let version = lines("bootstraprc")["ProductKey"]?.split(separator: " ").last.map(String.init)
        settings = Self.settings(version: version ?? Self.knownVersion, build: build)
    }

    /// With the version of the last start that the profile had, soffice does not try out graphics, which takes most of
    /// the time of a first start. Links to other places, macros and active content are blocked.
    private static func settings(version: String, build: String) -> String {
        let values = [
            ("Setup/Product", "ooSetupLastVersion", version),
            ("Setup/Office", "ooSetupInstCompleted", "true"),
            ("Setup/Office", "LastCompatibilityCheckID", build),
            ("Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
            ("Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
            ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
            ("Office.Common/Security/Scripting", "DisableActiveContent", "true"),
            ("Office.Common/Misc", "FirstRun", "false"),
        ]
        let items = values.map { path, name, value in
            "<item oor:path=\"/org.openoffice.\(path)\"><prop oor:name=\"\(name)\" oor:op=\"fuse\">"
                + "<value>\(value)</value></prop></item>"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
            \(items.joined(separator: "\n"))
            </oor:items>
            """
    }
}
