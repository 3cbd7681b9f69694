// Those who wait for a torrent's metadata. Invariant: each is settled once: by the metadata, its signal, or the end.

import { AppError } from '../base/errors.ts'
import type { Metainfo } from '../wire/torrent-types.ts'

/** The waiters of one torrent. */
export class MetadataWaiters {
  readonly #settles = new Set<(result: Metainfo | AppError) => void>()

  get size(): number {
    return this.#settles.size
  }

  /** Settles with the metainfo; rejects with AppError Aborted when `signal` fires. */
  wait(signal: AbortSignal): Promise<Metainfo> {
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

  /** Settles all. */
  settle(result: Metainfo | AppError): void {
    for (const settle of this.#settles) settle(result)
  }
}
