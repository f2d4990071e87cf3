import Foundation
import FundClient
import Terminal

/// A queue in words and numbers for people.
enum QueueWords {
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
        case .failed: return transfer.failure.map { CommandError($0).message } ?? ""
        case .waiting:
            guard let failure = transfer.failure, let next = transfer.nextAttemptAt, next > now else { return "" }
            let wait = Quantity.display(seconds: next.timeIntervalSince(now))
            return "next attempt in \(wait): \(CommandError(failure).message)"
        case .done: return transfer.destination ?? ""
        default: return ""
        }
    }

    /// Progress of a queue in one line.
    static func progress(_ progress: QueueProgress, now: Date = Date()) -> String {
        var parts: [String] = []
        if let first = progress.running.first {
            parts.append("\(first.transfer.name) \(percent(first.bytes, of: first.transfer.size))")
            if progress.running.count > 1 { parts.append("\(progress.running.count - 1) more") }
        } else if let next = progress.nextAttemptAt, next > now {
            parts.append("next attempt in \(Quantity.display(seconds: next.timeIntervalSince(now)))")
        }
        if progress.waitingCount > 0 { parts.append("\(progress.waitingCount) waiting") }
        if let rate = progress.rate { parts.append("\(Quantity.display(bytes: Int64(rate)))/s") }
        if let left = progress.timeLeft { parts.append("\(Quantity.display(seconds: left.seconds)) left") }
        return TerminalText.clean(parts.joined(separator: ", "))
    }
}
