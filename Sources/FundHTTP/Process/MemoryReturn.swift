internal import CLinux
internal import Glibc
internal import ServiceLifecycle

/// Returns free memory to the system. malloc(3) keeps what a busy minute took for as long as the process lives, in up
/// to eight arenas for each processor.
package struct MemoryReturn: Service {
    private static let interval = Duration.seconds(10)
    /// Returning less is not worth the page faults when it is used again.
    private static let minUnusedBytes = 32 * 1024 * 1024

    package init() {}

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                if fundmail_unused_bytes() >= Self.minUnusedBytes { malloc_trim(0) }
            }
        }
    }
}
