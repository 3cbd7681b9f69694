// An answer of HTTP/1 that lies in memory whole (RFC 9112): its head, and its body without chunks. Pure.

import { type HttpHead, parseHttpHead } from './http-head.ts'

/** Longest head, and line before a chunk, bytes. */
const MAX_HEAD_BYTES = 64 * 1024
const MAX_CHUNK_LINE = 1024
/** Heads that only announce another one (100 to 199), one after the other. */
const MAX_INTERIM = 5

/** An answer; `body` as it was sent, without the framing of chunks. */
export interface WholeAnswer {
  readonly head: HttpHead
  readonly body: Uint8Array
}

/** Reads `bytes`; null when they are no whole answer. */
export function readWholeAnswer(bytes: Uint8Array): WholeAnswer | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let from = 0
  for (let heads = 0; heads <= MAX_INTERIM; heads += 1) {
    const end = text.indexOf('\r\n\r\n', from)
    if (end < 0 || end - from > MAX_HEAD_BYTES) return null
    const head = parseHttpHead(text.toString('latin1', from, end))
    if (head === null) return null
    from = end + 4
    if (head.status < 200) continue
    const body = bodyOf(head, text.subarray(from))
    return body === null ? null : { head, body }
  }
  return null
}

function bodyOf(head: HttpHead, rest: Buffer): Uint8Array | null {
  const coding = head.fields['transfer-encoding']
  if (coding !== undefined) return /^chunked$/i.test(coding.trim()) ? withoutChunks(rest) : null
  if (head.status === 204 || head.status === 304) return rest.subarray(0, 0)
  if (head.bodyBytes === null) return rest
  return rest.length < head.bodyBytes ? null : rest.subarray(0, head.bodyBytes)
}

/** Joins the chunks; null when one is missing or is none. What follows the last one does not count. */
function withoutChunks(bytes: Buffer): Uint8Array | null {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0 || end - at > MAX_CHUNK_LINE) return null
    const [size = ''] = bytes.toString('latin1', at, end).split(';', 1)
    if (!/^[0-9a-f]{1,8}[ \t]*$/i.test(size)) return null
    const length = Number.parseInt(size, 16)
    if (length === 0) return Buffer.concat(chunks)
    const from = end + 2
    if (from + length + 2 > bytes.length) return null
    chunks.push(bytes.subarray(from, from + length))
    at = from + length + 2
  }
}
