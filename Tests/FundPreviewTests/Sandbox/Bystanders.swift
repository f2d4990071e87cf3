import Foundation
import Testing

@testable import FundPreview

/// Things outside of a sandbox that must stay as they are: a file with a secret, a process, and sockets.
final class Bystanders: Sendable {
    let folder: SampleFolder
    let listeners: LoopbackListeners
    /// Anyone may read and write it.
    let file: String
    let process: Int32
    private static let secret = "secret"

    init() throws {
        folder = try SampleFolder()
        listeners = LoopbackListeners(in: folder)
        file = "\(folder.path)/store.sqlite"
        try Data(Self.secret.utf8).write(to: URL(fileURLWithPath: file))
        chmod(file, 0o666)
        // The file belongs to the user that converters have where the tests run as root.
        chown(file, 65534, 65534)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sleep")
        process.arguments = ["60"]
        try process.run()
        self.process = process.processIdentifier
    }

    deinit { kill(process, SIGKILL) }

    func expectUntouched() throws {
        #expect(kill(process, 0) == 0 && !listeners.isReached)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.secret)
    }
}

/// The folders in which converters write without namespaces, of sandboxes that this process started: those of other
/// runs come and go.
enum ScratchFolders {
    private static let prefix: String = {
        let name = URL(fileURLWithPath: LandlockScratch.newPath()).lastPathComponent
        return String(name[...(name.lastIndex(of: "-") ?? name.startIndex)])
    }()

    static func left() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/tmp").filter { $0.hasPrefix(prefix) }
    }
}

extension Sandbox {
    /// A sandbox of this kind, which the machine must allow.
    static func required(_ choice: Choice) throws -> Sandbox {
        let sandbox = Sandbox(choice, executable: ConverterProgram.path)
        try #require(sandbox.kind.rawValue == choice.rawValue, "\(sandbox.problem ?? "")")
        return sandbox
    }
}
