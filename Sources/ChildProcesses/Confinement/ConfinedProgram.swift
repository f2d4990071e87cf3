internal import CLinux

/// A program of others without namespaces of its own: within Landlock, seccomp and limits.
package struct ConfinedProgram {
    /// Its path and arguments.
    package var words: [String]
    /// The whole environment, as `NAME=value`.
    package var variables: [String]
    /// Files and folders that it can read and run; those that do not exist are left out.
    package var readable: [String]
    /// The folder in which it can write, and starts.
    package var scratch: String
    /// A folder beneath which it can make local sockets and nothing else, for a program that talks to itself.
    package var socketFolder: String?
    package var limits: Limits

    /// Resources that the program may use at most.
    package struct Limits: Sendable {
        /// Address space.
        package var memoryBytes: UInt64
        package var fileBytes: UInt64
        package var processorSeconds: UInt64
        /// Processes and threads of its user.
        package var processes: UInt64
        package var openFiles: UInt64

        package init(
            memoryBytes: UInt64, fileBytes: UInt64, processorSeconds: UInt64, processes: UInt64, openFiles: UInt64
        ) {
            self.memoryBytes = memoryBytes
            self.fileBytes = fileBytes
            self.processorSeconds = processorSeconds
            self.processes = processes
            self.openFiles = openFiles
        }
    }

    package init(
        words: [String], variables: [String], readable: [String], scratch: String, socketFolder: String?, limits: Limits
    ) {
        self.words = words
        self.variables = variables
        self.readable = readable
        self.scratch = scratch
        self.socketFolder = socketFolder
        self.limits = limits
    }

    /// Starts it with /dev/null as standard input, and this process's output and errors. It leads a process group that
    /// it cannot leave, and dies with this process, which has no other threads. Nil on failure.
    ///
    /// - Parameter announced: the descriptor to which the number of its group (`pid_t`) is written before it begins.
    package func start(announcingTo announced: Int32) -> ChildHandle? {
        let flags =
            fundmail_without_namespaces | (socketFolder == nil ? 0 : fundmail_local_sockets)
        // Copies that C needs while the call runs: the readable paths, then the folders.
        let pid = CStrings.with(readable + [scratch, socketFolder ?? ""]) { paths in
            CStrings.with(words) { words in
                CStrings.with(variables) { variables in
                    paths.map { UnsafePointer($0) }.withUnsafeBufferPointer { paths in
                        var bounds = fundmail_bounds(
                            readable: paths.baseAddress, readable_count: Int32(readable.count),
                            scratch: paths[readable.count],
                            sockets: socketFolder == nil ? nil : paths[readable.count + 1],
                            memory: limits.memoryBytes, file: limits.fileBytes, seconds: limits.processorSeconds,
                            processes: limits.processes, descriptors: limits.openFiles, flags: Int32(flags),
                            announced: announced)
                        return fundmail_start_confined(&bounds, words, variables)
                    }
                }
            }
        }
        return pid > 0 ? ChildHandle(pid: pid) : nil
    }
}
