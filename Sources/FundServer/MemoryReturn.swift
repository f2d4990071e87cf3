internal import CLinux
internal import ServiceLifecycle

/// Gives memory that nothing uses any more back to the system: malloc(3) keeps what one busy minute took for as long as the process
/// lives, in up to eight arenas for each processor.
struct MemoryReturn: Service {
    private static let interval = Duration.seconds(10)
    /// Less is not worth taking it again.
    private static let minUnusedBytes = 32 * 1024 * 1024

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                if fundmail_unused_bytes() >= Self.minUnusedBytes { malloc_trim(0) }
            }
        }
    }
}
