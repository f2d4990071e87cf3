/// Times of a lease in rows. A holder whose renewals fail stops `margin` before another one may take the lease, by its
/// own clock, which runs on while the machine sleeps.
struct LeaseTiming: Sendable {
    /// After the last renewal the lease is free again, by the clock of the database.
    var length = Duration.seconds(30)
    var renewal = Duration.seconds(10)
    var margin = Duration.seconds(5)
    /// Pause after a renewal that failed.
    var retry = Duration.seconds(1)
}
