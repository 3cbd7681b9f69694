// What an exit sends for strangers by HTTP (10.2): the head of one GET and nothing behind it, to ports where web
// servers and trackers listen. Whatever else can be written into a connection (mail, commands of databases) stays here.
// Pure.

/** Most bytes of a request; what fits into the cells of one is less. */
const MAX_REQUEST_BYTES = 16 * 1024
/** RFC 9110: a name of a field, and a value without control characters. */
const FIELD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/
/** A path as a client writes it, not a whole address: we must not be used as the client of a proxy. */
const REQUEST_LINE = /^GET \/[\x21-\x7e]* HTTP\/1\.[01]$/

/** Web servers' own ports; the other ones below 1024 belong to services of other kinds. */
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443])
const FIRST_FREE_PORT = 1024

/** Whether strangers may have us ask at this port. `refused`: ports from 1024 up that are not asked. */
export function isAskedPort(port: number, refused: ReadonlySet<number>): boolean {
  if (WEB_PORTS.has(port)) return true
  return port >= FIRST_FREE_PORT && port <= 65_535 && !refused.has(port)
}

/** Whether the bytes are exactly one complete head of a GET: no second request, no body, no announcement of one. */
export function isOneGet(request: Uint8Array): boolean {
  if (request.length > MAX_REQUEST_BYTES) return false
  const text = Buffer.from(request.buffer, request.byteOffset, request.byteLength).toString('latin1')
  if (!text.endsWith('\r\n\r\n') || text.indexOf('\r\n\r\n') !== text.length - 4) return false
  const [line = '', ...fields] = text.slice(0, -4).split('\r\n')
  if (!REQUEST_LINE.test(line)) return false
  return fields.every(field => FIELD.test(field) && !/^(content-length|transfer-encoding|upgrade|expect):/i.test(field))
}
