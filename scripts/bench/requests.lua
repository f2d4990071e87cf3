-- wrk: goes through the lines of a file, each METHOD, a tab and a path; further words after the file are headers, each
-- `Name: value`, and what follows `body` is the file with the body. Prints one line of JSON at the end.
-- Every thread begins at another line.
local started = 0

function setup(thread)
    thread:set("first", started)
    started = started + 1
end

function init(args)
    local headers, body, index = {}, nil, 2
    while index <= #args do
        if args[index] == "body" then
            local file = assert(io.open(args[index + 1], "rb"))
            body = file:read("*a")
            file:close()
            index = index + 1
        else
            local name, value = args[index]:match("^([^:]+): (.*)$")
            headers[name] = value
        end
        index = index + 1
    end
    requests = {}
    for line in io.lines(args[1]) do
        local method, path = line:match("^(%S+)\t(%S+)$")
        requests[#requests + 1] = wrk.format(method, path, headers, body)
    end
    position = math.floor(#requests / 2) * first
end

function request()
    position = position + 1
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
