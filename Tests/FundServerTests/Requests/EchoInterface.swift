import TestSupport
import Hummingbird
import NIOCore

@testable import FundHTTP
@testable import FundServer

/// Routes that show what the server makes of a request.
struct EchoInterface: ServerInterface {
    /// Raised when `/slow` may answer.
    let mayAnswer = Flag()

    func owns(path: String) -> Bool { false }

    func addRoutes(to router: some RouterMethods<ServerContext>) {
        router.get("/peer") { _, context in "\(context.peer) \(context.isEncrypted) \(context.keepsSecrets)" }
        router.post("/body") { request, _ in
            let body = try await request.body.collect(upTo: 1024)
            return "\(body.readableBytes)"
        }
        router.post("/refused") { _, _ -> String in throw RequestError.forbidden }
        // Its length is not known before.
        router.get("/stream") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    for text in ["one ", "two"] { try await writer.write(ByteBuffer(string: text)) }
                    try await writer.finish(nil)
                })
        }
        router.get("/slow") { [mayAnswer] _, _ in
            try await eventually { mayAnswer.isRaised }
            return "done"
        }
        router.get("/large") { _, context in
            context.sends?.expectPieces()
            let chunk = ByteBuffer(repeating: 0x61, count: 1024 * 1024)
            return Response(
                status: .ok,
                body: ResponseBody(contentLength: 64 * chunk.readableBytes) { writer in
                    for _ in 0..<64 { try await writer.write(chunk) }
                    try await writer.finish(nil)
                })
        }
    }
}
