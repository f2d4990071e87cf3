internal import ChildProcesses
import FundCore
internal import Glibc

/// The programs that conversions run, and which of them this machine has.
enum ToolInventory {
    private struct Entry {
        var name: String
        var debianPackage: String
        /// Argument that makes it say its version.
        var argument: String
    }

    private static let entries = [
        Entry(name: "bwrap", debianPackage: "bubblewrap", argument: "--version"),
        Entry(name: "pdftoppm", debianPackage: "poppler-utils", argument: "-v"),
        Entry(name: "vipsthumbnail", debianPackage: "libvips-tools", argument: "--vips-version"),
        Entry(name: "cwebp", debianPackage: "webp", argument: "-version"),
        Entry(name: "rsvg-convert", debianPackage: "librsvg2-bin", argument: "--version"),
        Entry(name: "ffmpeg", debianPackage: "ffmpeg", argument: "-version"),
        Entry(
            name: "soffice",
            debianPackage: "libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui",
            argument: "--version"),
        Entry(
            name: "tesseract", debianPackage: "tesseract-ocr tesseract-ocr-eng tesseract-ocr-chi-sim",
            argument: "--version"),
        Entry(name: "bsdtar", debianPackage: "libarchive-tools", argument: "--version"),
        Entry(name: "catdoc", debianPackage: "catdoc", argument: "-V"),
        Entry(name: "w3m", debianPackage: "w3m", argument: "-version"),
    ]

    /// Each program with its version, as it says it in the sandbox. Blocks for some 100 ms.
    static func tools(_ sandbox: Sandbox) -> [ConverterAbilities.Tool] {
        entries.map { entry in
            ConverterAbilities.Tool(
                name: entry.name, version: version(of: entry, sandbox), debianPackage: entry.debianPackage)
        }
    }

    /// Takes microseconds.
    static func isInstalled(_ name: String) -> Bool { access("/usr/bin/\(name)", X_OK) == 0 }

    /// Nil where it is not installed; empty where it does not say.
    private static func version(of entry: Entry, _ sandbox: Sandbox) -> String? {
        guard isInstalled(entry.name) else { return nil }
        var command = SandboxCommand(
            program: "/usr/bin/\(entry.name)", arguments: [.text(entry.argument)], limits: ToolLimits.office)
        command.needsLocalSockets = true
        guard let run = try? sandbox.run(command, input: nil) else { return "" }
        let text = String(decoding: (try? run.output.bytes(atMost: 4096)) ?? [], as: UTF8.self) + "\n" + run.errors
        return text.split(whereSeparator: \.isNewline).first.flatMap(number) ?? ""
    }

    /// The first word with a digit and a dot; of `ffmpeg version 5.1.6-0+deb12u1` the last.
    private static func number(in line: Substring) -> String? {
        line.split { $0 == " " || $0 == "," || $0 == "/" }.first { $0.contains(".") && $0.contains(where: \.isNumber) }
            .map(String.init)
    }
}
