-- wrk: goes through the lines of a file, each METHOD, a tab and a path; further words after the file are headers, each
-- `Name: value`, and what follows `body` is the file with the body; after `fresh` each request's body is another one.
-- Prints one line of JSON at the end. Each thread begins at another line.
local started = 0

function setup(thread)
    thread:set("first", started)
    started = started + 1
end

function init(args)
    local index = 2
    headers, body, fresh = {}, nil, false
    while index <= #args do
        if args[index] == "body" then
            local file = assert(io.open(args[index + 1], "rb"))
            body = file:read("*a")
            file:close()
            index = index + 1
        elseif args[index] == "fresh" then
            fresh = true
        else
            local name, value = args[index]:match("^([^:]+): (.*)$")
            headers[name] = value
        end
        index = index + 1
    end
    lines, requests = {}, {}
    for line in io.lines(args[1]) do
        local method, path = line:match("^(%S+)\t(%S+)$")
        lines[#lines + 1] = {method, path}
        requests[#requests + 1] = wrk.format(method, path, headers, body)
    end
    position = math.floor(#requests / 2) * first
    mark = string.format("%d.%d.%.9f.", first, os.time(), os.clock())
end

function request()
    position = position + 1
    if fresh then
        local line = lines[position % #lines + 1]
        return wrk.format(line[1], line[2], headers, mark .. position .. body)
    end
    return requests[position % #requests + 1]
end

function done(summary, latency, all)
    local errors = summary.errors
    io.write(string.format(
        '{"requests":%d,"seconds":%.6f,"bytes":%.0f,"refused":%d,"broken":%d,"p50_ms":%.3f,"p99_ms":%.3f,"max_ms":%.3f}\n',
        summary.requests, summary.duration / 1e6, summary.bytes, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
