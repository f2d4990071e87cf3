import Foundation

/// The program of this build that runs converters: `fundmail`, which stands beside the test bundle.
enum ConverterProgram {
    private static let names = ["fundmail", "previewtool"]

    static let path: String = {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
        let folders = [bundle, FileManager.default.currentDirectoryPath + "/.build/debug"]
        let paths = folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "/nonexistent/fundmail"
    }()

    /// For `.enabled(if:)`: whether a program that not every machine has is there.
    static func has(_ tool: String) -> Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/\(tool)") }
}
