// Answers of routes whose long bodies may be compressed: coding by Accept-Encoding, a weak ETag that is the same for
// every coding, 304 where the client has the body. What is short, and what no text is, goes as it is.

import { chooseCoding, type Coding } from '../accept-encoding.ts'
import type { CodedBodies } from '../coded-bodies.ts'
import type { Header } from '../header-block.ts'
import { matchesTag } from '../stream-plan.ts'
import type { Reply } from './reply.ts'
import type { RequestHead } from './request.ts'

/** Shorter bodies fit into a packet, or nearly. */
const MIN_BYTES = 1400
/** Types that become shorter. */
const TEXTS = /^(?:text\/|application\/json|image\/svg\+xml)/

const VARY: Header = ['Vary', 'Accept-Encoding']

/** A body with its headers. */
export interface PlainBody {
  readonly contentType: string
  readonly parts: readonly Uint8Array[]
  readonly headers: readonly Header[]
}

/** All of a server. */
export class CodedAnswers {
  #loading: Promise<CodingParts> | null = null

  /** Sends a body with status 200, or 304 without it. */
  answer(reply: Reply, head: RequestHead, { contentType, parts, headers }: PlainBody): void | Promise<void> {
    const plain = { contentType, parts, headers: [...headers, VARY] }
    const { acceptEncoding, ifNoneMatch } = head
    if ((acceptEncoding === '' && ifNoneMatch === '') || !TEXTS.test(contentType) || isShort(parts))
      return reply.parts(200, contentType, parts, plain.headers)
    return this.#answerLong(reply, { acceptEncoding, ifNoneMatch }, plain)
  }

  async #answerLong(
    reply: Reply,
    { acceptEncoding, ifNoneMatch }: Pick<RequestHead, 'acceptEncoding' | 'ifNoneMatch'>,
    { contentType, parts, headers }: PlainBody,
  ): Promise<void> {
    const { bodies, offered } = await this.#load()
    const coding = chooseCoding(acceptEncoding, offered)
    if (coding === null && ifNoneMatch === '') return reply.parts(200, contentType, parts, headers)
    const tag = await bodies.tagOf(parts)
    const tagged = withTag(headers, tag)
    if (matchesTag(ifNoneMatch, tag)) return reply.headersOnly(304, tagged, null)
    // What zlib cannot do is no reason to answer nothing.
    const coded = coding === null ? null : await bodies.coded(parts, tag, coding).catch(() => null)
    if (coding === null || coded === null) return reply.parts(200, contentType, parts, tagged)
    reply.parts(200, contentType, coded, [...tagged, ['Content-Encoding', coding]])
  }

  // Most nodes answer nobody who wants it, and a start needs none of it.
  #load(): Promise<CodingParts> {
    this.#loading ??= import('../coded-bodies.ts').then(({ CodedBodies: Bodies, offeredCodings }) => ({
      bodies: new Bodies(),
      offered: offeredCodings,
    }))
    return this.#loading
  }
}

interface CodingParts {
  readonly bodies: CodedBodies
  readonly offered: readonly Coding[]
}

/** Kept by nobody without asking again, unless the route says more. */
function withTag(headers: readonly Header[], tag: string): readonly Header[] {
  const kept = headers.some(([name]) => name === 'Cache-Control')
  return [...headers, ['ETag', `W/"${tag}"`], ...(kept ? [] : [['Cache-Control', 'private, no-cache'] as const])]
}

function isShort(parts: readonly Uint8Array[]): boolean {
  let bytes = 0
  for (const part of parts) {
    bytes += part.length
    if (bytes >= MIN_BYTES) return false
  }
  return true
}
