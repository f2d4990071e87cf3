internal import CLinux
internal import Foundation
internal import Glibc
internal import FundCore

/// The process metrics of Prometheus client libraries
/// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics), from proc(5).
enum ProcessMetrics {
    /// Fields of `/proc/self/stat`, counted after the name, which may hold spaces.
    private enum Place {
        static let userTime = 11
        static let systemTime = 12
        static let startTime = 19
        static let virtualBytes = 20
        static let residentPages = 21
    }

    static func families() -> [MetricFamily] {
        let stat = text("/proc/self/stat")
        let words = stat[(stat.lastIndex(of: ")").map(stat.index(after:)) ?? stat.startIndex)...].split(separator: " ")
        func number(_ place: Int) -> Double { words.indices.contains(place) ? Double(words[place]) ?? 0 : 0 }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // One of them is open to read the folder.
        let descriptors = max(0, ((try? DiskDirectory.names(in: "/proc/self/fd"))?.count ?? 0) - 1)
        return [
            MetricFamily(
                "process_cpu_seconds_total", .counter, "Processor time of this process.",
                (number(Place.userTime) + number(Place.systemTime)) / ticks),
            MetricFamily(
                "process_start_time_seconds", .gauge, "When this process was started, since 1970.",
                bootTime + number(Place.startTime) / ticks),
            MetricFamily("process_open_fds", .gauge, "Open descriptors.", Double(descriptors)),
            MetricFamily(
                "process_max_fds", .gauge, "How many descriptors may be open.",
                limit.rlim_cur == rlim_t.max ? -1 : Double(limit.rlim_cur)),
            MetricFamily("process_virtual_memory_bytes", .gauge, "Virtual memory.", number(Place.virtualBytes)),
            MetricFamily(
                "process_resident_memory_bytes", .gauge, "Resident memory of this process.",
                number(Place.residentPages) * Double(sysconf(Int32(_SC_PAGESIZE)))),
        ]
    }

    /// Seconds since 1970.
    private static var bootTime: Double {
        let line = text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst("btime ".count)) } ?? 0
    }

    private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}
