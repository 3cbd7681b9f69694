// Judges the head of an answer to a range request (RFC 9110): does a body follow that is what was asked for?
// Pure; the body is read in guarded-ranges.ts.

import type { IncomingHttpHeaders } from 'node:http'
import type { RangeFailureKind, RangeOutcome } from '../../ports/http-ranges.ts'
import { type FileRange, parseContentRange, parseRetryAfter } from '../../wire/net/http-range.ts'

/** Statuses that ask to come back, beside all of 500 and above. */
const BUSY: ReadonlySet<number> = new Set([408, 425, 429])

/** A failure as an outcome. */
export function rangeFailure(kind: RangeFailureKind, text: string, retryAfterMs: number | null = null): RangeOutcome {
  return { kind, text, retryAfterMs }
}

/**
 * Null when the body that follows begins with the bytes of `range`. An answer 200 is taken for a range from the start
 * of the file on: its body may then be longer than the range. `wallMs`: now, since 1970.
 */
export function judgeRangeHead(
  status: number,
  headers: IncomingHttpHeaders,
  range: FileRange,
  wallMs: number,
): RangeOutcome | null {
  if (status === 206) return judgePart(headers, range)
  if (status === 200) return judgeWhole(headers, range)
  const text = `the server answers with HTTP status ${status}`
  if (status >= 500 || BUSY.has(status)) {
    return rangeFailure('busy', text, parseRetryAfter(headers['retry-after'] ?? '', wallMs))
  }
  // 416 and a redirect without a target: there is something, but not this file.
  if (status === 416 || status < 400) return rangeFailure('wrong', text)
  return rangeFailure('missing', text)
}

function judgePart(headers: IncomingHttpHeaders, range: FileRange): RangeOutcome | null {
  const told = parseContentRange(headers['content-range'] ?? '')
  if (told === null) return rangeFailure('wrong', 'the server does not say which range it sends')
  if (told.first !== range.offset || told.last !== range.offset + range.length - 1) {
    return rangeFailure('wrong', 'the server sends another range than the one asked for')
  }
  if (told.total !== null && told.total !== range.total) {
    return rangeFailure('wrong', `the file has ${told.total} bytes there, not ${range.total}`)
  }
  return judgeBody(headers, range.length)
}

function judgeWhole(headers: IncomingHttpHeaders, range: FileRange): RangeOutcome | null {
  if (range.offset > 0) return rangeFailure('wrong', 'the server gives no ranges of files')
  // Without a length it may be any page: only a request for the whole file can then be checked.
  const unknown = headers['content-length'] === undefined
  if (unknown && range.length !== range.total) return rangeFailure('wrong', 'the server gives no ranges of files')
  return judgeBody(headers, range.total)
}

function judgeBody(headers: IncomingHttpHeaders, bytes: number): RangeOutcome | null {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding !== 'identity') return rangeFailure('wrong', 'the server packs the file')
  const length = headers['content-length']
  if (length === undefined || Number(length) === bytes) return null
  return rangeFailure('wrong', `the body has ${length.slice(0, 20)} bytes, not ${bytes}`)
}
