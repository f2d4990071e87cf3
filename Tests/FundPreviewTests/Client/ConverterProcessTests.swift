import ChildProcesses
import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundPreview

@Suite(.startsPrograms) struct ConverterProcessTests {
    private func converter(_ sandbox: Sandbox.Choice = .best) -> ConverterProcess {
        ConverterProcess(.child(executable: ConverterProgram.path, sandbox: sandbox), atMost: 2)
    }

    private let thumbnail = Conversion(.picture(pixels: 480, page: 1), of: .pdf)

    @Test func abilitiesNameSandboxAndTools() async throws {
        let converter = converter()
        let abilities = try await converter.abilities()
        #expect(abilities.sandbox != .none)
        let poppler = abilities.tools.first { $0.name == "pdftoppm" }
        #expect(poppler?.version?.isEmpty == false && poppler?.debianPackage == "poppler-utils")
        await converter.shutdown()
        let none = self.converter(.none)
        #expect(try await none.abilities().sandbox == .none)
        #expect(
            try await Outcome.of(.picture(pixels: 480, page: 1), SamplePDF.pages(["x"]), by: none)
                == .failed(.noSandbox))
        await none.shutdown()
    }

    @Test func aPictureIsWhole() async throws {
        let file = try SampleFile(SamplePDF.pages(["x"]))
        let made = try await TestConverter.best.convert(thumbnail, of: file.descriptor)
        guard case .picture(let bytes, let width, let height) = made else {
            Issue.record("no picture")
            return
        }
        let header = WebPHeader(bytes)
        #expect(header?.width == width && header?.height == height)
    }

    @Test(arguments: SandboxTests.kinds) func aProcessThatIsKilledIsStartedAgain(_ sandbox: Sandbox.Choice) async throws
    {
        let converter = converter(sandbox)
        let file = try SampleFile(SamplePDF.bomb())
        let bomb = Task { try await converter.convert(thumbnail, of: file.descriptor) }
        let mark = "pdftoppm"
        try await eventually { converter.childProcess != nil }
        let worker = try #require(converter.childProcess)
        #expect(try await becomesTrue { !descendants(of: worker).isEmpty })
        let below = descendants(of: worker)
        kill(worker, SIGKILL)
        await #expect(throws: ProcessError.self) { _ = try await bomb.value }
        let isGone = try await becomesTrue { below.allSatisfy { !isRunning($0, mark) } }
        #expect(isGone)
        #expect(
            try await Outcome.of(.info, SamplePDF.pages(["x"]), by: converter)
                == .info(FileInfo(.pdf, pages: 1, 595, 842)))
        await converter.shutdown()
    }

    @Test(arguments: SandboxTests.kinds) func aCancelledConversionLeavesNothing(_ sandbox: Sandbox.Choice) async throws
    {
        let converter = converter(sandbox)
        let file = try SampleFile(SamplePDF.bomb())
        let bomb = Task { try await converter.convert(thumbnail, of: file.descriptor) }
        try await eventually { converter.childProcess != nil }
        let worker = try #require(converter.childProcess)
        #expect(try await becomesTrue { !descendants(of: worker).isEmpty })
        bomb.cancel()
        await #expect(throws: CancellationError.self) { _ = try await bomb.value }
        #expect(try await becomesTrue { descendants(of: worker).isEmpty })
        #expect(converter.childProcess == worker)
        await converter.shutdown()
        #expect(try await becomesTrue { !isRunning(worker, "") })
        await #expect(throws: (any Error).self) { _ = try await converter.convert(thumbnail, of: file.descriptor) }
    }

    /// A kill as by an administrator, or by the kernel when the machine has no memory left: not by a limit of ours.
    @Test(arguments: SandboxTests.kinds) func aProgramThatOthersKillHasCrashed(_ sandbox: Sandbox.Choice) async throws {
        let converter = converter(sandbox)
        let bomb = Task { try await Outcome.of(thumbnail.work, SamplePDF.bomb(), by: converter) }
        try await eventually { converter.childProcess != nil }
        let worker = try #require(converter.childProcess)
        let name = "pdftoppm"
        #expect(try await becomesTrue { descendants(of: worker).contains { program($0) == name } })
        for process in descendants(of: worker) where program(process) == name { kill(process, SIGKILL) }
        #expect(try await bomb.value == .failed(.crashed))
        await converter.shutdown()
    }

    @Test func manyConversionsAtOnce() async throws {
        let converter = converter()
        let results = await (0..<20).concurrentMap(atMost: 20) { number in
            try? await Outcome.of(.text, SamplePDF.pages(["Page \(number)"]), by: converter)
        }
        #expect(results == (0..<20).map { .text("Page \($0)\n\n\u{C}") })
        await converter.shutdown()
    }

    /// A start as by systemd: descriptor 3 is a socket that listens.
    @Test(.enabled(if: ConverterProgram.has("python3"))) func aListeningSocketIsServed() async throws {
        let folder = try SampleFolder()
        let path = "\(folder.path)/socket"
        let script = """
            import os, socket, sys
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.bind(sys.argv[1])
            s.listen(8)
            os.dup2(s.fileno(), 3)
            os.set_inheritable(3, True)
            os.execv(sys.argv[2], ["fundmail", "convert-worker"])
            """
        let server = Process()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        server.arguments = ["-c", script, path, ConverterProgram.path]
        // A descriptor that is open there keeps a run of the tests waiting.
        (server.standardOutput, server.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try server.run()
        defer { server.terminate() }
        let converter = ConverterProcess(.socket(path: path), atMost: 2)
        // Once it listens.
        #expect(try await becomesTrue { (try? await converter.abilities()).map { $0.sandbox != .none } ?? false })
        let results = await (0..<4).concurrentMap(atMost: 4) { number in
            try? await Outcome.of(.text, SamplePDF.pages(["Page \(number)"]), by: converter)
        }
        #expect(results == (0..<4).map { .text("Page \($0)\n\n\u{C}") })
        await converter.shutdown()
        #expect(server.isRunning)
    }

    @Test func inputsThatAreNone() async throws {
        let folder = open("/tmp", O_RDONLY)
        defer { close(folder) }
        await #expect(throws: ProcessError.self) { _ = try await TestConverter.best.convert(thumbnail, of: folder) }
        let large = try SampleFile([])
        let path = NSTemporaryDirectory() + "/fundmail-large-\(UUID())"
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        unlink(path)
        ftruncate(descriptor, 300 << 20)
        defer { close(descriptor) }
        await #expect(throws: RenditionFailure.tooLarge) {
            _ = try await TestConverter.best.convert(thumbnail, of: descriptor)
        }
        #expect(try await Outcome.of(.info, large, as: .text) == .info(FileInfo(.text)))
    }

    @Test func aProgramThatIsNoConverter() async throws {
        let converter = ConverterProcess(.child(executable: "/usr/bin/true", sandbox: .best), atMost: 1)
        await #expect(throws: ProcessError.self) { _ = try await converter.abilities() }
        let absent = ConverterProcess(.socket(path: "/nonexistent/socket"), atMost: 1)
        await #expect(throws: ProcessError.self) { _ = try await absent.abilities() }
    }

    /// The processes below one that are no launchers.
    private func descendants(of process: Int32) -> [Int32] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        let children = tasks.flatMap { task in
            let path = "/proc/\(process)/task/\(task)/children"
            return String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
                .split(separator: " ").compactMap { Int32($0) }
        }
        return children + children.flatMap { descendants(of: $0) }
    }

    /// Its name as the kernel has it; a script that names the program is another one.
    private func program(_ process: Int32) -> String {
        let name = FileManager.default.contents(atPath: "/proc/\(process)/comm") ?? Data()
        return String(decoding: name.dropLast(), as: UTF8.self)
    }

    private func isRunning(_ process: Int32, _ mark: String) -> Bool {
        let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
        return !line.isEmpty && String(decoding: line, as: UTF8.self).contains(mark)
    }
}
