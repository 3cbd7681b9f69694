// What a stream request is answered with: status, headers and the parts of the body, before a byte is read. Pure.
// Decisions part 2, row stream, is the law here. Invariant: `length` is the sum of the parts, and Content-Length.

import { type Header, HeaderBlock, type HeaderList } from './header-block.ts'
import { type ByteRange, chooseRanges } from './range-header.ts'

/** A part of the body: bytes of the file, or text of the multipart frame. */
export type BodyPart =
  | { readonly kind: 'file'; readonly range: ByteRange }
  | { readonly kind: 'text'; readonly bytes: Uint8Array }

/** The answer to a stream request before its first byte: status, headers, and what the body is made of. */
export interface StreamPlan {
  readonly status: 200 | 206 | 304 | 416
  readonly headers: HeaderList
  readonly parts: readonly BodyPart[]
  /** Bytes of the body; for HEAD the Content-Length without a body. */
  readonly length: number
}

/** What all answers about one file have in common. */
export class StreamedFile {
  readonly size: number
  /** Without quotes. */
  readonly tag: string
  readonly contentType: string
  /** Headers of every answer. */
  readonly plain: HeaderBlock
  /** The same with the file's type. */
  readonly typed: HeaderBlock

  /** `more`: further headers of every answer. */
  constructor(
    file: { readonly size: number; readonly tag: string; readonly contentType: string },
    more: readonly Header[] = [],
  ) {
    this.size = file.size
    this.tag = file.tag
    this.contentType = file.contentType
    const plain = [
      ['Accept-Ranges', 'bytes'],
      ['ETag', `"${file.tag}"`],
      ['Content-Security-Policy', sandboxOf(file.contentType)],
      ...dlnaHeaders(file.contentType),
      ...more,
    ] as const
    this.plain = new HeaderBlock(plain)
    this.typed = new HeaderBlock([...plain, ['Content-Type', file.contentType]])
  }
}

/**
 * A web page inside a torrent must not run as a page of this node. A browser that opens a film puts it into a page of
 * its own making, which asks for the film again: as nobody's page it would be refused. Nothing runs there either way,
 * and the type is not guessed (`X-Content-Type-Options: nosniff`).
 */
function sandboxOf(contentType: string): string {
  return /^(?:video|audio)\//.test(contentType) ? 'sandbox allow-same-origin' : 'sandbox'
}

/**
 * What television sets look for before they play a link: ranges of bytes may be asked for, nothing is converted;
 * streaming, background and interactive transfer, and a connection that may stall (DLNA guidelines, 4th field).
 */
const DLNA_FEATURES = 'DLNA.ORG_OP=01;DLNA.ORG_CI=0;DLNA.ORG_FLAGS=01700000000000000000000000000000'

function dlnaHeaders(contentType: string): readonly Header[] {
  const kind = contentType.slice(0, contentType.indexOf('/'))
  if (kind !== 'video' && kind !== 'audio' && kind !== 'image') return []
  const mode = kind === 'image' ? 'Interactive' : 'Streaming'
  return [
    ['transferMode.dlna.org', mode],
    ['contentFeatures.dlna.org', DLNA_FEATURES],
  ]
}

/** The request and the file; header texts are empty when absent. */
export interface StreamRequest {
  readonly head: boolean
  readonly range: string
  readonly ifRange: string
  readonly ifNoneMatch: string
  readonly file: StreamedFile
  /** Status of the whole file where no range was asked for; default 206. */
  readonly wholeStatus?: 200 | 206
  /** Makes what parts the multipart body; it must not occur in it, so it is random. */
  readonly boundary: () => string
}

/** Plans the answer to a GET or HEAD of a file. */
export function planStream(request: StreamRequest): StreamPlan {
  const { size, tag, plain, typed } = request.file
  if (matchesTag(request.ifNoneMatch, tag)) return { status: 304, headers: [plain], parts: [], length: 0 }
  if (request.head) return { status: 200, headers: [typed], parts: [], length: size }
  const usable = request.ifRange === '' || request.ifRange.trim() === `"${tag}"`
  const choice = chooseRanges(usable ? request.range : '', size)
  if (choice === 'unsatisfiable') {
    return { status: 416, headers: [plain, ['Content-Range', `bytes */${size}`]], parts: [], length: 0 }
  }
  if (choice === 'whole' && size === 0) return { status: 200, headers: [typed], parts: [], length: 0 }
  if (choice === 'whole' && request.wholeStatus === 200) return planWhole(request.file)
  const ranges = choice === 'whole' ? [{ start: 0, end: size }] : choice
  const [only] = ranges
  return ranges.length === 1 && only !== undefined
    ? planSingle(request.file, only)
    : planMultipart(request.file, request.boundary(), ranges)
}

function planWhole({ typed, size }: StreamedFile): StreamPlan {
  return { status: 200, headers: [typed], parts: [{ kind: 'file', range: { start: 0, end: size } }], length: size }
}

function planSingle(file: StreamedFile, range: ByteRange): StreamPlan {
  return {
    status: 206,
    headers: [file.typed, ['Content-Range', contentRange(range, file.size)]],
    parts: [{ kind: 'file', range }],
    length: range.end - range.start,
  }
}

function planMultipart(file: StreamedFile, boundary: string, ranges: readonly ByteRange[]): StreamPlan {
  const parts: BodyPart[] = []
  for (const [at, range] of ranges.entries()) {
    const lead = at === 0 ? '' : '\r\n'
    const type = `Content-Type: ${file.contentType}\r\n`
    const place = `Content-Range: ${contentRange(range, file.size)}\r\n`
    parts.push({ kind: 'text', bytes: Buffer.from(`${lead}--${boundary}\r\n${type}${place}\r\n`) })
    parts.push({ kind: 'file', range })
  }
  parts.push({ kind: 'text', bytes: Buffer.from(`\r\n--${boundary}--\r\n`) })
  return {
    status: 206,
    headers: [file.plain, ['Content-Type', `multipart/byteranges; boundary=${boundary}`]],
    parts,
    length: parts.reduce((sum, part) => sum + partLength(part), 0),
  }
}

/** Bytes of one part. */
export function partLength(part: BodyPart): number {
  return part.kind === 'text' ? part.bytes.length : part.range.end - part.range.start
}

function contentRange(range: ByteRange, size: number): string {
  return `bytes ${range.start}-${range.end - 1}/${size}`
}

/** Whether If-None-Match names a tag (RFC 9110 13.1.2): weak comparison, any of a list, or `*`; '' names none. */
export function matchesTag(header: string, tag: string): boolean {
  if (header === '') return false
  return header.split(',').some(text => {
    const candidate = text.trim()
    return candidate === '*' || candidate === `"${tag}"` || candidate === `W/"${tag}"`
  })
}
