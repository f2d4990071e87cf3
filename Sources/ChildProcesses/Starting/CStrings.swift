internal import Glibc

/// Texts as C takes them, for as long as a call runs.
enum CStrings {
    /// Runs `body` with copies of `texts` and a null pointer behind them.
    static func with<Value>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value) -> Value {
        let copies = texts.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
