// Metadata of a magnet from when it is found until it is durable, and those who wait for it: they get it no earlier.
// Invariant: each who waits is settled once: by the metadata, its signal, or the end.

import { AppError } from '../../base/errors.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { TorrentCore } from '../session/torrent-core.ts'
import type { RunForReaders } from '../streams/stream-reader.ts'

/** Who waited for metadata mostly opens a reader next. */
const READ_SOON_MS = 2000

/** The metadata of one torrent on its way. */
export class NewMetadata {
  readonly #core: TorrentCore
  readonly #settles = new Set<(result: Metainfo | AppError) => void>()
  #found: Metainfo | null = null

  constructor(core: TorrentCore) {
    this.#core = core
  }

  get waiters(): number {
    return this.#settles.size
  }

  /** It is known and not durable yet. */
  get unkept(): boolean {
    return this.#found !== null
  }

  found(metainfo: Metainfo): void {
    this.#found = metainfo
  }

  /** Makes it durable, and tells those who wait. Rejects with what the records said. Nothing happens when it is. */
  async keep(): Promise<void> {
    const metainfo = this.#found
    if (metainfo === null) return
    await this.#core.engine.deps.events.metadata(this.#core.infoHash, metainfo)
    this.#found = null
    this.#settle(metainfo)
  }

  /**
   * Settles when it is durable; a torrent that waits in the queue runs for it meanwhile. Rejects with AppError Aborted
   * when `signal` fires.
   */
  async whenKept(run: RunForReaders, signal: AbortSignal): Promise<Metainfo> {
    const known = this.#core.content?.metainfo ?? null
    if (known !== null && !this.unkept) return known
    try {
      if (this.#core.status === 'queued') run.runForReaders()
      return await this.#wait(signal)
    } finally {
      if (run.forReaders) this.#core.engine.clock.after(READ_SOON_MS, () => this.#unneeded(run))
    }
  }

  /** The end: who waits does so in vain. */
  abort(): void {
    this.#settle(new AppError('Aborted'))
  }

  #unneeded(run: RunForReaders): void {
    if (this.waiters === 0 && this.#core.readers.hungry === 0) run.readersDone()
  }

  #wait(signal: AbortSignal): Promise<Metainfo> {
    if (signal.aborted) return Promise.reject(new AppError('Aborted'))
    return new Promise((resolve, reject) => {
      const abort = () => settle(new AppError('Aborted'))
      const settle = (result: Metainfo | AppError) => {
        this.#settles.delete(settle)
        signal.removeEventListener('abort', abort)
        if (result instanceof AppError) reject(result)
        else resolve(result)
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#settles.add(settle)
    })
  }

  #settle(result: Metainfo | AppError): void {
    for (const settle of this.#settles) settle(result)
  }
}
