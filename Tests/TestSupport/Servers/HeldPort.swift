internal import Glibc

/// A port of 127.0.0.1 that no other socket gets by chance as long as this is held. Connections to it are refused until
/// a server that was told its number listens there: Linux lets two sockets be bound to one port when both have
/// SO_REUSEADDR, which servers set, and the first does not listen (socket(7)).
package final class HeldPort: Sendable {
    package let number: Int
    private let descriptor: Int32

    package init() throws { (descriptor, number) = try LoopbackSocket.bound(isShared: true) }

    deinit { close(descriptor) }
}
