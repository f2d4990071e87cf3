internal import CLinux
internal import ChildProcesses
internal import Glibc
internal import Synchronization
import FundCore

/// Takes connections, and serves each in a thread of its own.
final class ConvertService: Sendable {
    /// More at the same time are turned away: the caller has far fewer.
    private static let maxConnections = 32
    /// Stack that a thread needs: conversions run in other processes; XML is read without recursion.
    private static let stackBytes = 1 << 20

    let sandbox: Sandbox
    private let listens: Bool
    private let connections = Atomic(0)
    private let abilities = Mutex<ConverterAbilities?>(nil)

    init(_ sandbox: Sandbox, listens: Bool) {
        self.sandbox = sandbox
        self.listens = listens
    }

    /// The exit status: 0 when the parent closed its end.
    func run(_ socket: Int32) -> Int32 {
        while true {
            guard let connection = next(on: socket) else {
                // Sandboxes end with this process.
                return listens ? 71 : 0  // EX_OSERR of sysexits.h
            }
            guard connections.add(1, ordering: .relaxed).newValue <= Self.maxConnections, start(connection) else {
                finish(connection)
                continue
            }
        }
    }

    /// The next connection; nil when there will be none.
    private func next(on socket: Int32) -> Int32? {
        while true {
            if listens {
                let connection = accept(socket, nil, nil)
                if connection >= 0 { return connection }
                guard [EINTR, ECONNABORTED, EMFILE, ENFILE, ENOMEM, EAGAIN].contains(errno) else { return nil }
                if errno != EINTR { usleep(10_000) }
            } else {
                guard let message = LocalSocket.receive(from: socket, maxBytes: ConvertRequest.maxMessageBytes) else {
                    return nil
                }
                message.descriptors.dropFirst().forEach { close($0) }
                if let connection = message.descriptors.first { return connection }
            }
        }
    }

    private struct Served {
        var service: ConvertService
        var connection: Int32
    }

    private func start(_ connection: Int32) -> Bool {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, Self.stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let served = UnsafeMutablePointer<Served>.allocate(capacity: 1)
        served.initialize(to: Served(service: self, connection: connection))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { pointer in
                guard let served = pointer?.assumingMemoryBound(to: Served.self) else { return nil }
                let given = served.move()
                served.deallocate()
                given.service.serve(given.connection)
                given.service.finish(given.connection)
                return nil
            }, served)
        if code != 0 {
            served.deinitialize(count: 1)
            served.deallocate()
        }
        return code == 0
    }

    private func finish(_ connection: Int32) {
        close(connection)
        connections.subtract(1, ordering: .relaxed)
    }

    private func serve(_ connection: Int32) {
        guard let message = LocalSocket.receive(from: connection, maxBytes: ConvertRequest.maxMessageBytes) else {
            return
        }
        defer { message.descriptors.forEach { close($0) } }
        let answer: ConvertAnswer?
        switch try? ConvertRequest(message.bytes) {
        case .abilities: answer = .abilities(knownAbilities())
        case .convert(let conversion) where message.descriptors.count == 2:
            answer = convert(conversion, message.descriptors[0], message.descriptors[1], connection)
        default: answer = .systemFailure("a request that this version does not know")
        }
        if let answer { _ = LocalSocket.send(answer.bytes, to: connection) }
    }

    private func knownAbilities() -> ConverterAbilities {
        abilities.withLock { known in
            if let known { return known }
            let found = ConverterAbilities(
                sandbox: sandbox.kind, sandboxProblem: sandbox.problem, tools: ToolInventory.tools(sandbox),
                languages: RecognitionTools.installedLanguages)
            known = found
            return found
        }
    }

    /// Nil when the caller went away.
    private func convert(
        _ conversion: Conversion, _ input: Int32, _ output: Int32, _ connection: Int32
    ) -> ConvertAnswer? {
        let job = ToolJob(conversion: conversion, sandbox: sandbox, input: input, cancellation: connection)
        do throws(ToolError) {
            switch try job.make() {
            case .info(let info): return .info(info)
            case .bytes(let bytes):
                let isWritten = bytes.withUnsafeBytes { SystemCall.writeAll($0, to: output, at: 0) }
                return isWritten ? .written : .systemFailure("output: \(SystemText.of(errno))")
            }
        } catch {
            switch error {
            case .failure(let failure): return .failure(failure)
            case .system(let error): return .systemFailure(error.description)
            case .cancelled: return nil
            }
        }
    }
}
