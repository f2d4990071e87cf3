extension Database {
    /// Runs `body`, which reads a database; gives `fallback` where a page of it cannot be read.
    static func readable<Value>(or fallback: @autoclosure () throws -> Value, _ body: () throws -> Value) throws
        -> Value
    {
        do { return try body() } catch let error where ConnectionPool.isDamage(error) { return try fallback() }
    }
}
