internal import Foundation
internal import FundClient

/// A queue in words and numbers for people.
enum QueueWords {
    /// `1.4 MB`.
    static func size(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var (value, unit) = (Double(bytes) / 1000, 0)
        let units = ["kB", "MB", "GB", "TB"]
        while value >= 999.5, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
        return value < 9.95 ? String(format: "%.1f \(units[unit])", value) : String(format: "%.0f \(units[unit])", value)
    }

    /// `2:05`, `1:02:05`.
    static func time(_ duration: Duration) -> String {
        let seconds = max(duration.components.seconds, 0)
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        return hours > 0
            ? String(format: "%ld:%02ld:%02ld", hours, minutes, rest) : String(format: "%ld:%02ld", minutes, rest)
    }

    static func direction(_ transfer: Transfer) -> String {
        if case .upload = transfer.work { "up" } else { "down" }
    }

    static func percent(_ bytes: Int64, of size: Int64?) -> String {
        guard let size else { return "" }
        return size > 0 ? "\(min(bytes * 100 / size, 100)) %" : "100 %"
    }

    /// Why it is as it is; empty where that needs no words.
    static func note(_ transfer: Transfer, now: Date = Date()) -> String {
        switch transfer.state {
        case .failed: return transfer.failure.map { reason($0) } ?? ""
        case .waiting:
            guard let failure = transfer.failure, let next = transfer.nextAttemptAt, next > now else { return "" }
            return "\(reason(failure)); next attempt in \(time(.seconds(next.timeIntervalSince(now))))"
        case .done:
            guard let destination = transfer.destination else { return "" }
            return Terminal.harmless(destination)
        default: return ""
        }
    }

    static func reason(_ error: ClientError) -> String {
        let detail = Terminal.harmless(error.detail)
        switch error.code {
        case .unreachable: return "the server cannot be reached (\(detail))"
        case .certificate: return "the server could not prove who it is (\(detail))"
        case .timedOut: return "the server did not answer in time"
        case .interrupted: return "the connection ended (\(detail))"
        case .unauthenticated: return "the session has ended; sign in again with: fund login"
        case .notFound: return "it is not on the server any more"
        case .noSpaceHere: return "no space here: \(detail)"
        case .noSpaceOnServer: return "no space on the server"
        case .busy: return "the server is busy (\(detail))"
        case .damaged: return "damaged: \(detail)"
        case .quarantined: return "the server holds it back: \(detail)"
        default: return detail
        }
    }

    static func table(_ transfers: [Transfer]) -> String {
        var rows = [["ID", "", "STATE", "DONE", "SIZE", "NAME", ""]]
        for transfer in transfers {
            rows.append([
                "\(transfer.id)", direction(transfer), transfer.state.rawValue,
                transfer.state == .done ? "" : percent(transfer.bytes, of: transfer.size),
                transfer.size.map(size) ?? "", Terminal.harmless(transfer.name), note(transfer),
            ])
        }
        let widths = (0..<6).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let isNumber = [true, false, false, true, true, false]
        return rows.map { row in
            let cells = (0..<6).map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return isNumber[column] ? padding + row[column] : row[column] + padding
            }
            let line = (cells + [row[6]]).joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

    /// One line that fits.
    static func progress(_ progress: QueueProgress, width: Int, now: Date = Date()) -> String {
        var parts: [String] = []
        if let first = progress.running.first {
            parts.append("\(Terminal.harmless(first.transfer.name)) \(percent(first.bytes, of: first.transfer.size))")
            if progress.running.count > 1 { parts.append("and \(progress.running.count - 1) more") }
        } else if let next = progress.nextAttemptAt, next > now {
            parts.append("next attempt in \(time(.seconds(next.timeIntervalSince(now))))")
        }
        if progress.waitingCount > 0 { parts.append("\(progress.waitingCount) waiting") }
        if let rate = progress.rate { parts.append("\(size(Int64(rate)))/s") }
        if let left = progress.timeLeft { parts.append("\(time(left)) left") }
        return String(parts.joined(separator: "  ").prefix(max(width - 1, 10)))
    }
}
