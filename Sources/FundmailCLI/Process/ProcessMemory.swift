import CLinux

/// Settings of malloc(3).
enum ProcessMemory {
    /// Keeps the memory of a message or an answer for the next one: malloc would give each that has some hundred
    /// kilobytes back at once, and clearing its pages anew took a tenth of a list's time and a fortieth of a poll's.
    /// For runs that end, and for the server, which gives back what stays unused. To be called once, at the start.
    static func keep() {
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
        mallopt(M_TRIM_THRESHOLD, 8 << 20)
    }
}
