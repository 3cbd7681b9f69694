// Answers of web servers as an exit reads them: when they are whole, and whether they are of a kind that exits return
// (10.2): a bencoded body, a redirection that says 307, and between nodes of ours a range of a file (decision 0382).
// Pure.

import { DecodeError } from '../../../base/errors.ts'
import { decodeBencode } from '../../../wire/bencode.ts'

const HEAD_END = '\r\n\r\n'
/** Most bytes of a head. */
const MAX_HEAD_BYTES = 16 * 1024

/** The head of an answer. */
interface AnswerHead {
  readonly status: number
  readonly bodyAt: number
  /** Null: the body ends with the connection. */
  readonly length: number | null
  readonly chunked: boolean
}

function readHead(bytes: Uint8Array): AnswerHead | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_HEAD_BYTES)).toString('latin1')
  const end = text.indexOf(HEAD_END)
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1]
  if (end < 0 || status === undefined) return null
  const head = text.slice(0, end + 2)
  const length = /\r\ncontent-length:[ \t]*(\d{1,9})[ \t]*\r\n/i.exec(head)?.[1]
  return {
    status: Number(status),
    bodyAt: end + HEAD_END.length,
    length: length === undefined ? null : Number(length),
    chunked: /\r\ntransfer-encoding:[^\r\n]*chunked/i.test(head),
  }
}

/** Whether everything has come; else the end of the connection says so. */
export function isWholeAnswer(bytes: Uint8Array): boolean {
  const head = readHead(bytes)
  if (head === null) return false
  if (head.chunked) return chunkedBody(bytes.subarray(head.bodyAt)) !== null
  return head.length !== null && bytes.length >= head.bodyAt + head.length
}

/** Whether an exit may return an answer to a request. */
export function isReturned(request: Uint8Array, answer: Uint8Array): boolean {
  const head = readHead(answer)
  if (head === null) return false
  if (head.status === 307) return true
  if (head.status === 206) return asksForRange(request)
  const rest = answer.subarray(head.bodyAt)
  const body = head.chunked ? chunkedBody(rest) : head.length === null ? rest : rest.subarray(0, head.length)
  return body !== null && isBencoded(body)
}

function asksForRange(request: Uint8Array): boolean {
  const text = Buffer.from(request.buffer, request.byteOffset, request.byteLength).toString('latin1')
  return /^GET [^\r\n]+\r\n(?:[^\r\n]+\r\n)*range:[ \t]*bytes=\d+-\d+[ \t]*\r\n/i.test(text)
}

function isBencoded(body: Uint8Array): boolean {
  try {
    decodeBencode(body)
    return true
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

/** The bytes of a body in chunks; null: it is not whole, or none. */
function chunkedBody(bytes: Uint8Array): Uint8Array | null {
  const parts: Uint8Array[] = []
  let at = 0
  for (;;) {
    const line = Buffer.from(bytes.subarray(at, at + 20)).toString('latin1')
    const size = /^([0-9a-f]{1,6})(?:;[^\r\n]*)?\r\n/i.exec(line)
    if (size === null) return null
    const length = Number.parseInt(size[1] ?? '', 16)
    const from = at + size[0].length
    if (length === 0) return Buffer.concat(parts)
    if (from + length + 2 > bytes.length) return null
    parts.push(bytes.subarray(from, from + length))
    at = from + length + 2
  }
}
