/// Limits of a class of tools. Processor time is that of each process, and bounds a tool that works. The time by the
/// clock bounds one that sleeps: it is several times as long, since a converter stands behind all other programs, and
/// waits for its turn on a busy machine.
enum ToolLimits {
    static let pdf = SandboxLimits(memoryBytes: 512 << 20, processorSeconds: 10, wallSeconds: 60, fileBytes: 32 << 20)
    static let picture = SandboxLimits(memoryBytes: 1 << 30, processorSeconds: 10, wallSeconds: 60, fileBytes: 64 << 20)
    static let vector = SandboxLimits(memoryBytes: 512 << 20, processorSeconds: 5, wallSeconds: 40, fileBytes: 64 << 20)
    /// soffice has some 30 threads.
    static let office = SandboxLimits(
        memoryBytes: 1 << 30, processorSeconds: 30, wallSeconds: 240, fileBytes: 64 << 20, scratchBytes: 512 << 20,
        processes: 96, descriptors: 256)
    static let media = SandboxLimits(
        memoryBytes: 1 << 30, processorSeconds: 15, wallSeconds: 120, fileBytes: 16 << 20, processes: 64)
    /// Audio as samples: four and a half hours of it.
    static let sound = SandboxLimits(
        memoryBytes: 1 << 30, processorSeconds: 15, wallSeconds: 120, fileBytes: 64 << 20, processes: 64)
    static let text = SandboxLimits(memoryBytes: 512 << 20, processorSeconds: 20, wallSeconds: 160, fileBytes: 8 << 20)
    /// One page by tesseract, with one thread.
    static let recognition = SandboxLimits(
        memoryBytes: 1 << 30, processorSeconds: 40, wallSeconds: 320, fileBytes: 64 << 20)
    /// XML of which a text is made: markup is most of it.
    static let markup = SandboxLimits(
        memoryBytes: 512 << 20, processorSeconds: 20, wallSeconds: 160, fileBytes: 64 << 20)
}
