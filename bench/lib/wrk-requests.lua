-- wrk: random aligned ranges (RANGE bytes of a file of SIZE bytes), or one fixed request. The environment says which:
-- RANGE and SIZE, METHOD, HEADERS (lines "Name: value"), BODY_FILE. The last line printed is JSON.
local range = tonumber(os.getenv("RANGE") or "0")
local size = tonumber(os.getenv("SIZE") or "0")
local fixed

function init()
  math.randomseed(20)
  wrk.method = os.getenv("METHOD") or "GET"
  for name, value in (os.getenv("HEADERS") or ""):gmatch("([^:\n]+): ([^\n]*)") do wrk.headers[name] = value end
  local path = os.getenv("BODY_FILE")
  if path then
    local file = io.open(path, "rb")
    wrk.body = file:read("*a")
    file:close()
  end
  if range == 0 then fixed = wrk.format() end
end

function request()
  if fixed then return fixed end
  local from = math.random(0, math.floor(size / range) - 1) * range
  wrk.headers["Range"] = "bytes=" .. string.format("%d-%d", from, from + range - 1)
  return wrk.format()
end

function done(summary, latency)
  local e = summary.errors
  print(string.format('RESULT {"requests":%d,"bytes":%d,"seconds":%f,"errors":%d,"p50":%f,"p99":%f}',
    summary.requests, summary.bytes, summary.duration / 1e6, e.status + e.connect + e.read + e.write + e.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
