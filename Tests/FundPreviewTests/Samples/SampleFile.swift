import Foundation

/// An open file that holds a sample; its name is gone already.
final class SampleFile: Sendable {
    let descriptor: Int32

    init(_ bytes: some Collection<UInt8>) throws {
        let path = NSTemporaryDirectory() + "/fundmail-sample-\(UUID())"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        descriptor = open(path, O_RDONLY)
        unlink(path)
    }

    init(path: String) throws {
        descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw CocoaError(.fileReadNoSuchFile) }
    }

    deinit { close(descriptor) }
}

/// A folder that is removed with what is in it.
final class SampleFolder: Sendable {
    let path = NSTemporaryDirectory() + "/fundmail-samples-\(UUID())"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Makes a file by a program that runs here, and gives its path.
    func make(_ name: String, _ program: String, _ arguments: [String]) throws -> String {
        let path = "\(path)/\(name)"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = arguments.map { $0.replacingOccurrences(of: "OUT", with: path) }
        process.currentDirectoryURL = URL(fileURLWithPath: self.path)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard FileManager.default.fileExists(atPath: path) else { throw CocoaError(.fileWriteUnknown) }
        return path
    }
}
