// Answers a stream request: plans it, opens a reader if there is a body, and runs the writer. Counts open streams.

import { mediaTypeOf } from '../media-types.ts'
import { AppError } from '../../base/errors.ts'
import type { Random } from '../../ports/random.ts'
import type { StreamableFile } from '../../services/downloads/streams-api.ts'
import type { Header } from '../header-block.ts'
import type { FileReply } from '../route.ts'
import { type StreamPlan, StreamedFile, planStream } from '../stream-plan.ts'
import { RangeWriter, type RangeWriterDeps } from './range-writer.ts'
import type { Reply } from './reply.ts'
import type { RequestHead } from './request.ts'

const UNKNOWN_TYPE = 'application/octet-stream'

/** What all stream answers share, and chance for multipart boundaries. */
export interface StreamAnswersDeps extends RangeWriterDeps {
  readonly random: Random
}

/** How a file is answered with where it is not as the interface does. */
export interface StreamManner {
  /** What is said of the file. */
  readonly shown?: StreamedFile
  /** Status of the answer to a request without a range. */
  readonly wholeStatus?: 200 | 206
}

/** All stream answers of a server. */
export class StreamAnswers {
  readonly #deps: StreamAnswersDeps
  readonly #maxStreams: number
  readonly #open = new Set<Reply>()
  readonly #boundary = (): string => Buffer.from(this.#deps.random.bytes(18)).toString('hex')
  readonly #files = new WeakMap<StreamableFile, StreamedFile>()

  constructor(maxStreams: number, deps: StreamAnswersDeps) {
    this.#maxStreams = maxStreams
    this.#deps = deps
  }

  /** Bodies under way. */
  get openCount(): number {
    return this.#open.size
  }

  /** Throws AppError TooManyRequests when no further stream fits; asked before any work is done for one. */
  checkRoom(): void {
    if (this.#open.size >= this.#maxStreams) {
      throw new AppError('TooManyRequests', `${this.#maxStreams} streams are open already; try again.`)
    }
  }

  /**
   * Answers at once, or until the promise settles; ends when the client goes. Rejects with what the reader throws.
   * `manner`: in another way than the interface does.
   */
  answer(reply: Reply, head: RequestHead, file: StreamableFile, manner: StreamManner = {}): void | Promise<void> {
    const plan = planStream({
      head: reply.headOnly,
      range: head.range,
      ifRange: head.ifRange,
      ifNoneMatch: head.ifNoneMatch,
      file: manner.shown ?? this.#streamed(file),
      boundary: this.#boundary,
      wholeStatus: manner.wholeStatus ?? 206,
    })
    if (plan.status === 416) return void reply.error(new AppError('RangeNotSatisfiable'), plan.headers)
    if (plan.status === 304) return reply.headersOnly(304, plan.headers, null)
    if (reply.headOnly || plan.length === 0) return reply.headersOnly(plan.status, plan.headers, plan.length)
    this.checkRoom()
    return this.#write(reply, plan, file)
  }

  /** Answers with a file that is made for it: whole, without ranges. Rejects with what making or reading it throws. */
  async attachment(reply: Reply, { contentType, fileName, open }: FileReply): Promise<void> {
    const headers: Header[] = [
      ['Content-Type', contentType],
      ['Content-Disposition', `attachment; filename="${fileName}"`],
      ['Cache-Control', 'no-store'],
    ]
    if (reply.headOnly) return reply.headersOnly(200, headers, null)
    this.checkRoom()
    const file = await open()
    // The file goes with its reader.
    if (!reply.alive) return file.openReader().close()
    const range = { start: 0, end: file.size }
    return this.#write(reply, { status: 200, headers, parts: [{ kind: 'file', range }], length: file.size }, file)
  }

  #write(reply: Reply, plan: StreamPlan, file: StreamableFile): void | Promise<void> {
    const later = new RangeWriter(reply, plan, file, this.#deps).run()
    if (later === undefined) return
    this.#open.add(reply)
    return later.finally(() => this.#open.delete(reply))
  }

  #streamed(file: StreamableFile): StreamedFile {
    const known = this.#files.get(file)
    if (known !== undefined) return known
    const { size, tag, name } = file
    const made = new StreamedFile({ size, tag, contentType: mediaTypeOf(name) ?? UNKNOWN_TYPE })
    this.#files.set(file, made)
    return made
  }

  /** Cuts every stream: it would go on for as long as its film. */
  cutAll(): void {
    for (const reply of this.#open) reply.cut()
  }
}
