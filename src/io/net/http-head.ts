// Reads the head of an answer of HTTP/1 (RFC 9112) strictly: what is not plainly one is none. Pure.

/** A head. */
export interface HttpHead {
  readonly status: number
  /** By lower-case name; of a field that comes more than once, the first. */
  readonly fields: Readonly<Record<string, string>>
  /** Bytes of the body; null when the head does not tell them by number alone. */
  readonly bodyBytes: number | null
  /** The connection may be used again behind the body. */
  readonly keeps: boolean
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: .*)?$/
const FIELD = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*?)[ \t]*$/

/** Reads `text`, a head without the empty line at its end; null when it is none, or says two lengths. */
export function parseHttpHead(text: string): HttpHead | null {
  const [first = '', ...lines] = text.split('\r\n')
  const start = STATUS_LINE.exec(first)
  if (start === null) return null
  const fields = new Map<string, string>()
  for (const line of lines) {
    const field = FIELD.exec(line)
    if (field === null) return null
    const [, name = '', value = ''] = field
    const key = name.toLowerCase()
    const known = fields.get(key)
    if (key === 'content-length' && known !== undefined && known !== value) return null
    if (known === undefined) fields.set(key, value)
  }
  const length = fields.get('content-length')
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return null
  const coded = fields.has('transfer-encoding')
  const keeps = start[1] === '1' && !/\bclose\b/i.test(fields.get('connection') ?? '')
  return {
    status: Number(start[2]),
    fields: Object.fromEntries(fields),
    bodyBytes: length === undefined || coded ? null : Number(length),
    keeps,
  }
}
