import Dispatch
import Glibc

/// SIGHUP: read again what may have changed. Lasts as long as the process.
enum ReloadSignal {
    static func onReload(_ body: @escaping @Sendable () -> Void) {
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "fundmail.reload"))
        // The handler keeps the source.
        source.setEventHandler { withExtendedLifetime(source) { body() } }
        source.resume()
    }
}
