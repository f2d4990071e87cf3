import Dispatch
import Glibc
import FundCore

/// SIGHUP: the configuration is to be read again. Without this the signal ends the process, so a program that keeps
/// running makes it before anything else; a signal that comes before `arrivals` is read is not lost. Lasts as long as
/// the process.
struct ReloadSignal: Sendable {
    /// Several signals that wait are one.
    let arrivals: AsyncStream<Void>

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        arrivals = stream
        Self.ignore()
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "fundmail.reload"))
        // The handler keeps the source.
        source.setEventHandler { withExtendedLifetime(source) { _ = continuation.yield() } }
        source.resume()
    }

    /// For a run that ends by itself and reads its configuration once.
    static func ignore() { signal(SIGHUP, SIG_IGN) }
}
