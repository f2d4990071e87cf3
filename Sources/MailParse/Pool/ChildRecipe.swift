/// How a child is started.
struct ChildRecipe: Sendable {
    var executable: String
    var arguments: [String] = [ParseWorkerMain.command]
    var stagingDirectory: String
    /// Sent with every request; obeyed by debug builds only.
    var debug: UInt8 = 0
    /// Longest time from start to `ready`. A fundmail binary takes some 20 ms; a loaded machine much more.
    var startSeconds: Double = 30
    /// For tests that cannot wait: instead of `ParseLimits.maxSeconds`.
    var maxSeconds: Double?
}
