// A listener beside those of the interface, for what speaks another language over HTTP at a place of its own: plain
// HTTP, no routes, no keys. Whoever opens one judges each request itself; ranges of files are written as those of
// /stream are, and count among the same streams.

import type { StreamableFile } from '../services/downloads/streams-api.ts'
import type { HeaderList } from './header-block.ts'
import type { StreamedFile } from './stream-plan.ts'

/** A request as the service of a listener sees it. */
export interface FurtherRequest {
  /** As sent: `GET`, `SUBSCRIBE`. HEAD comes as GET does and is answered without its body. */
  readonly method: string
  /** As sent, not decoded, without the query. */
  readonly path: string
  /** Canonical literal of whoever asks. */
  readonly remoteIp: string
  /** One of the headers that the service named; empty when it is absent. */
  header(name: string): string
  /** Of POST; of others empty. */
  readonly body: Buffer
  /** Fires when the client goes away. */
  readonly signal: AbortSignal
  /** Ends the answer and its connection, also while it is being sent. */
  cut(): void
}

/** What it is answered with. */
export type FurtherAnswer =
  | {
      readonly kind: 'bytes'
      readonly status: number
      readonly contentType: string
      /** They follow each other. */
      readonly parts: readonly Uint8Array[]
      readonly headers: HeaderList
    }
  | {
      readonly kind: 'stream'
      readonly file: StreamableFile
      /** What every answer about the file says of it. */
      readonly shown: StreamedFile
      /** The answer is over, however. */
      ended(): void
    }

/** Who answers at a listener. */
export interface FurtherService {
  /** Names of the headers it reads, small letters. */
  readonly headers: readonly string[]
  /** Longest body of a request, bytes; longer ones are answered 413. */
  readonly maxBodyBytes: number
  /** Connections at a time; one too many is closed unheard. */
  readonly maxConnections: number
  /** Whether connections of this address are taken; else they are closed unheard, and count for nobody. */
  hears(remoteIp: string): boolean
  /** Whether anything is answered at all; else the connection is closed without a word. */
  admits(remoteIp: string, host: string): boolean
  /** AppErrors are answered as everywhere. */
  answer(request: FurtherRequest): FurtherAnswer | Promise<FurtherAnswer>
}

/** An open listener. */
export interface FurtherListener {
  readonly port: number
  /** Takes no connections any more, and cuts those there are. */
  close(): void
}

/** Opens listeners. */
export interface FurtherListening {
  /** Listens at an address of this machine; `port` 0: a free one. AppError PortTaken. */
  listenFor(place: { readonly host: string; readonly port: number }, service: FurtherService): Promise<FurtherListener>
}
