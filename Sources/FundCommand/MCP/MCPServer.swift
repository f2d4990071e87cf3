import Terminal

/// A server of the Model Context Protocol over a line-based stream: JSON-RPC 2.0, one message a line.
///
/// It makes no requests of its own. Requests run beside each other; those that are cancelled get no answer, as the
/// protocol wants it.
actor MCPServer {
    /// Requests that run at a time; more are refused.
    static let maxRunning = 32
    /// Messages in one batch.
    static let maxBatch = 100

    private let service: any MCPService
    private let write: @Sendable ([UInt8]) throws -> Void
    /// Nil before `initialize`.
    private var version: MCPVersion?
    /// Requests without an answer yet.
    private var running: [RPCID: Task<JSONValue?, Never>] = [:]
    /// Answers that are still to be written.
    private var deliveries: [Int: Task<Void, Never>] = [:]
    private var deliveryCount = 0
    private var outputFailure: (any Error)?

    /// - Parameter write: gets whole lines with their ends, one after the other.
    init(_ service: any MCPService, write: @escaping @Sendable ([UInt8]) throws -> Void) {
        (self.service, self.write) = (service, write)
    }

    /// Takes one line. Throws what `write` threw: the client does not read any more.
    func take(_ line: LineInput.Line) throws {
        if let outputFailure { throw outputFailure }
        switch line {
        case .tooLong: send(RPCMessage.answer(.invalidRequest("The line is too long."), to: nil))
        case .bytes(let bytes) where bytes.allSatisfy(Self.isSpace): break
        case .bytes(let bytes):
            guard let value = try? JSONValue(bytes) else {
                return send(RPCMessage.answer(.parse("The line is no JSON in UTF-8."), to: nil))
            }
            if case .array(let values) = value { takeBatch(values) } else { takeOne(value) }
        }
    }

    /// Waits for the answers to all requests that were taken.
    func finish() async {
        while let delivery = deliveries.values.first { await delivery.value }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private func takeOne(_ value: JSONValue) {
        switch begin(RPCMessage(value), isInBatch: false) {
        case .nothing: break
        case .answered(let answer): send(answer)
        case .runs(let task): deliver { if let answer = await task.value { await self.send(answer) } }
        }
    }

    private func takeBatch(_ values: [JSONValue]) {
        guard let version, version.hasBatches else {
            let words = version == nil ? "“initialize” has to come first, and alone" : "this revision has no batches"
            return send(RPCMessage.answer(.invalidRequest("Messages come one by one: \(words)."), to: nil))
        }
        guard (1...Self.maxBatch).contains(values.count) else {
            let words = "A batch has 1 to \(Self.maxBatch) messages."
            return send(RPCMessage.answer(.invalidRequest(words), to: nil))
        }
        let begun = values.map { begin(RPCMessage($0), isInBatch: true) }
        deliver {
            var answers: [JSONValue] = []
            for one in begun {
                switch one {
                case .nothing: break
                case .answered(let answer): answers.append(answer)
                case .runs(let task): if let answer = await task.value { answers.append(answer) }
                }
            }
            // A batch of notifications has no answer, not even an empty one.
            if !answers.isEmpty { await self.send(.array(answers)) }
        }
    }

    private func deliver(_ body: @escaping @Sendable () async -> Void) {
        deliveryCount += 1
        let number = deliveryCount
        deliveries[number] = Task {
            await body()
            self.deliveries[number] = nil
        }
    }

    private func send(_ answer: JSONValue) {
        guard outputFailure == nil else { return }
        do {
            try write(try answer.bytes() + [UInt8(ascii: "\n")])
        } catch {
            outputFailure = error
        }
    }
}

/// Requests.
extension MCPServer {
    fileprivate enum Begun: Sendable {
        /// The message has no answer.
        case nothing
        case answered(JSONValue)
        /// Gives nil when the request was cancelled.
        case runs(Task<JSONValue?, Never>)
    }

    fileprivate func begin(_ message: RPCMessage, isInBatch: Bool) -> Begun {
        switch message {
        case .response: return .nothing
        case .notification(let method, let parameters):
            if method == "notifications/cancelled" { cancel(parameters) }
            return .nothing
        case .invalid(let id, let error): return .answered(RPCMessage.answer(error, to: id))
        case .request(let id, let method, let parameters):
            do throws(RPCError) {
                return try begin(method, parameters, id, isInBatch: isInBatch)
            } catch {
                return .answered(RPCMessage.answer(error, to: id))
            }
        }
    }

    private func begin(
        _ method: String, _ parameters: JSONValue, _ id: RPCID, isInBatch: Bool
    ) throws(RPCError) -> Begun {
        guard running[id] == nil else { throw .invalidRequest("A request with this id has no answer yet.") }
        switch method {
        case "ping": return .answered(RPCMessage.answer([:], to: id))
        case "initialize":
            guard !isInBatch, version == nil else { throw .invalidRequest("“initialize” comes once, and alone.") }
            return .answered(RPCMessage.answer(try initialize(parameters), to: id))
        case "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read": break
        default: throw .methodNotFound(method)
        }
        guard version != nil else { throw .invalidRequest("“initialize” has to come first.") }
        guard running.count < Self.maxRunning else {
            throw .failed("\(Self.maxRunning) requests run already; wait for an answer.")
        }
        let task = Task {
            let answer = await self.answer(method, parameters, id)
            self.running[id] = nil
            return Task.isCancelled ? nil : answer
        }
        running[id] = task
        return .runs(task)
    }

    private func cancel(_ parameters: JSONValue) {
        // An answer and its cancellation may cross on their way.
        guard let id = parameters["requestId"].flatMap(RPCID.init) else { return }
        running[id]?.cancel()
    }

    private func initialize(_ parameters: JSONValue) throws(RPCError) -> JSONValue {
        guard let asked = parameters["protocolVersion"]?.text else {
            throw .invalidParameters("“protocolVersion” is missing.")
        }
        let version = MCPVersion(asked: asked)
        self.version = version
        return [
            "protocolVersion": .string(version.rawValue),
            "capabilities": ["tools": [:], "resources": [:]],
            "serverInfo": ["name": "fundmail", "title": "Fundmail", "version": .string(Release.version)],
            "instructions": .string(service.instructions),
        ]
    }

    private nonisolated func answer(_ method: String, _ parameters: JSONValue, _ id: RPCID) async -> JSONValue {
        do {
            return RPCMessage.answer(try await result(of: method, parameters), to: id)
        } catch let error as RPCError {
            return RPCMessage.answer(error, to: id)
        } catch {
            return RPCMessage.answer(.failed(CommandError(error).message), to: id)
        }
    }

    private nonisolated func result(of method: String, _ parameters: JSONValue) async throws -> JSONValue {
        switch method {
        case "tools/list":
            // All tools are one page: there is no cursor.
            guard try cursor(parameters) == nil else { throw RPCError.invalidParameters("There is no such cursor.") }
            return ["tools": .array(service.tools.map(\.json))]
        case "tools/call": return try await call(parameters).json
        case "resources/list":
            let page = try await service.resources(after: try cursor(parameters))
            var members: [String: JSONValue] = ["resources": .array(page.resources)]
            if let next = page.next { members["nextCursor"] = .string(next) }
            return .object(members)
        case "resources/templates/list": return ["resourceTemplates": .array(service.resourceTemplates)]
        default:
            guard let address = parameters["uri"]?.text else { throw RPCError.invalidParameters("“uri” is missing.") }
            return ["contents": .array(try await service.content(at: address))]
        }
    }

    private nonisolated func cursor(_ parameters: JSONValue) throws(RPCError) -> String? {
        switch parameters["cursor"] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw .invalidParameters("“cursor” must be a string.")
        }
    }

    /// The problem of a tool is its result, so that the model reads it; a tool that there is not is an error.
    private nonisolated func call(_ parameters: JSONValue) async throws -> MCPResult {
        guard let name = parameters["name"]?.text else { throw RPCError.invalidParameters("“name” is missing.") }
        guard let tool = service.tools.first(where: { $0.name == name }) else {
            throw RPCError.invalidParameters("There is no tool \(name.prefix(100)).")
        }
        do {
            return try await tool.run(MCPArguments(parameters["arguments"] ?? [:], for: tool.parameters))
        } catch let error as RPCError {
            throw error
        } catch {
            let words = (error as? MCPProblem)?.message ?? CommandError(error).message
            return .said(words, isError: true)
        }
    }
}
