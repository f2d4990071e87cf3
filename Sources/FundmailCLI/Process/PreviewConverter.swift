import FundPreview

/// The converters of this machine: behind the socket that the configuration names, or children of this process.
enum PreviewConverter {
    static func make(_ configuration: PreviewConfiguration, maxJobs: Int) -> ConverterProcess {
        let place =
            configuration.socket.map { ConverterProcess.Place.socket(path: $0) }
            ?? .child(executable: "/proc/self/exe", sandbox: DebugSwitches.sandbox)
        return ConverterProcess(place, atMost: maxJobs)
    }
}
