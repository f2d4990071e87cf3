package import FundCore
internal import MailConnection

/// Delivers what changed to the webhooks of people, until its task is cancelled. Of several processes that run it on a
/// store one delivers, and another takes its place when that ends.
///
/// A webhook gets one message after the other, and a receiver that is slow holds up no webhook of another person.
package final class WebhookRunner: Sendable {
    /// Deliveries to the webhooks of one person at a time.
    private static let placesOfOne = 2
    /// Longest wait until it is looked whether deliveries are due.
    private static let tick = Duration.seconds(60)
    /// Time between two looks whether another process delivers still.
    private static let leasePeriod = Duration.seconds(5)
    /// Commits of a moment are one reason to look.
    private static let commitPause = Duration.milliseconds(200)

    private let register: any WebhookRegister
    private let send: @Sendable (OutgoingDelivery) async throws -> WebhookAttempt
    private let commits: Signal
    private let lettersAreOn: @Sendable () -> Bool
    private let jitter: @Sendable () -> Double
    private let now: @Sendable () -> Timestamp
    private let observe: @Sendable (WebhookRunEvent) -> Void

    /// - Parameters:
    ///   - send: makes one attempt; throws when the program ends meanwhile.
    ///   - commits: raised when something was committed to the store, by any process.
    ///   - lettersAreOn: asked whether people can be told by letters that their webhooks are stopped.
    ///   - jitter: gives factors of pauses after failures.
    ///   - observe: hears what happens, on any thread.
    package init(
        _ register: any WebhookRegister, commits: Signal, lettersAreOn: @escaping @Sendable () -> Bool,
        jitter: @escaping @Sendable () -> Double = { .random(in: Backoff.jitter) },
        now: @escaping @Sendable () -> Timestamp = { .now },
        observe: @escaping @Sendable (WebhookRunEvent) -> Void = { _ in },
        send: @escaping @Sendable (OutgoingDelivery) async throws -> WebhookAttempt
    ) {
        (self.register, self.commits, self.lettersAreOn) = (register, commits, lettersAreOn)
        (self.jitter, self.now, self.observe, self.send) = (jitter, now, observe, send)
    }

    /// Runs until the task is cancelled.
    package func run() async {
        let wake = Signal()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [commits] in await wake.follow(commits, pausing: Self.commitPause) }
            while !Task.isCancelled {
                let known = wake.count
                do {
                    if let lease = try await register.webhookLease() {
                        await deliver(wake)
                        lease.end()
                        continue
                    }
                } catch {
                    observe(.storeFailed(error))
                }
                await wake.wait(after: known, atMost: Self.leasePeriod)
            }
            group.cancelAll()
        }
    }

    /// Deliveries that are under way.
    private actor Places {
        private(set) var owners: [Webhook.ID: User.ID] = [:]

        var hasRoom: Bool { owners.count < WebhookSender.concurrency }

        /// People who have as many as one may have.
        var busy: Set<User.ID> {
            Set(Dictionary(grouping: owners.values) { $0 }.filter { $0.value.count >= placesOfOne }.keys)
        }

        func begin(_ webhook: Webhook) { owners[webhook.id] = webhook.user }
        func end(_ webhook: Webhook) { owners[webhook.id] = nil }
    }

    private func deliver(_ wake: Signal) async {
        let places = Places()
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let known = wake.count
                var wait = Self.tick
                do {
                    while !Task.isCancelled, await places.hasRoom,
                        let next = try await register.nextDelivery(
                            besides: Set(await places.owners.keys), await places.busy, at: now())
                    {
                        await places.begin(next.webhook)
                        group.addTask { [self] in
                            await attempt(next)
                            await places.end(next.webhook)
                            wake.raise()
                        }
                    }
                    let time = now()
                    if let due = try await register.nextAttempt(after: time) {
                        wait = min(max(due - time, .seconds(1)), Self.tick)
                    }
                } catch {
                    observe(.storeFailed(error))
                }
                await wake.wait(after: known, atMost: wait)
            }
            group.cancelAll()
        }
    }

    /// Delivers what is due now, one after the other, and gives the number of attempts: for tests, which move the
    /// clock.
    func deliverDue() async throws -> Int {
        var count = 0
        while let next = try await register.nextDelivery(besides: [], [], at: now()) {
            await attempt(next)
            count += 1
        }
        return count
    }

    /// One attempt, and its result. Where the result cannot be noted, the same message goes again.
    private func attempt(_ delivery: OutgoingDelivery) async {
        do {
            let attempt = try await send(delivery)
            let webhook = try await register.noteAttempt(
                attempt, of: delivery.delivery.id, jitter: jitter(), isTold: lettersAreOn(), at: now())
            observe(.attempted(delivery, attempt, webhook))
        } catch is CancellationError {
            // The program ends: the message is pending, and the next process sends it.
        } catch {
            observe(.storeFailed(error))
        }
    }
}

/// An event of the deliveries to webhooks.
package enum WebhookRunEvent: Sendable {
    /// The webhook is as it is after the attempt; nil where it was removed meanwhile.
    case attempted(OutgoingDelivery, WebhookAttempt, Webhook?)
    /// The store cannot be read or written; it is tried again.
    case storeFailed(any Error)
}
