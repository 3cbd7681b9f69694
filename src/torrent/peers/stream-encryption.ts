// Encryption of the peer connections of a session: the settings, the torrents that may be named, and what all encrypted
// streams share. Makes streams; when which kind is tried is said by connection-policy.ts and the torrents.

import type { InfoHash } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { TcpStream, TcpStreamHandlers } from '../../ports/tcp.ts'
import { MseInitiator } from '../../wire/mse/mse-initiator.ts'
import { type KeyAgreement, mseKeys } from '../../wire/mse/mse-keys.ts'
import { MseResponder } from '../../wire/mse/mse-responder.ts'
import { MseTorrents } from '../../wire/mse/mse-torrents.ts'
import { CipherMemory } from './cipher-memory.ts'
import { accepts, type EncryptionSettings, type LinkKind, methodsOf } from './connection-policy.ts'
import { EncryptedStream, type EncryptedStreamSetup } from './encrypted-stream.ts'
import { KeyGate } from './key-gate.ts'

/** What encryption needs of its session. */
export interface StreamEncryptionDeps {
  readonly clock: Pick<Clock, 'after'>
  readonly random: Random
  /** A defect of ours, seen in a handshake. */
  defect(error: unknown): void
  /** Default: mseKeys. */
  readonly keys?: KeyAgreement
}

/** An incoming connection: what the link above it writes to, and what the stream below it reports to. */
export interface AcceptedStream {
  readonly stream: TcpStream
  readonly handlers: TcpStreamHandlers
}

/** The encryption of one session. */
export class StreamEncryption {
  /** Torrents that an incoming encrypted connection may be for; every torrent of the session must be in it. */
  readonly torrents = new MseTorrents()
  /** May be changed at any time; connections that are made stay as they are. */
  settings: EncryptionSettings
  readonly #deps: StreamEncryptionDeps
  readonly #keys: KeyAgreement
  readonly #shared: Pick<EncryptedStreamSetup, 'gate' | 'memory' | 'accepts' | 'defect'>

  constructor(settings: EncryptionSettings, deps: StreamEncryptionDeps) {
    this.settings = settings
    this.#deps = deps
    this.#keys = deps.keys ?? mseKeys
    this.#shared = {
      gate: new KeyGate(deps.clock),
      memory: new CipherMemory(),
      accepts: kind => accepts(this.settings.mode, kind),
      defect: error => deps.defect(error),
    }
  }

  /** Wraps an incoming stream: `handlers` get its plain bytes, whichever kind it turns out to be. */
  accept(stream: TcpStream, handlers: TcpStreamHandlers): AcceptedStream {
    // An encrypted one is no BitTorrent handshake to the link, which ends it.
    if (this.settings.mode === 'off') return { stream, handlers }
    const encrypted = new EncryptedStream({ ...this.#shared, side: () => this.#responder() }, handlers, () => stream)
    return { stream: encrypted, handlers: encrypted }
  }

  /** Opens a stream of this kind for a torrent; `connect` makes the stream below, with the handlers it is given. */
  connect(
    kind: LinkKind,
    infoHash: InfoHash,
    handlers: TcpStreamHandlers,
    connect: (handlers: TcpStreamHandlers) => TcpStream,
  ): TcpStream {
    if (kind === 'plain') return connect(handlers)
    const side = (initial: () => Uint8Array): MseInitiator =>
      new MseInitiator({
        infoHash,
        methods: methodsOf(this.settings),
        random: this.#deps.random,
        keys: this.#keys,
        initial,
      })
    return new EncryptedStream({ ...this.#shared, side }, handlers, connect)
  }

  #responder(): MseResponder {
    return new MseResponder({
      find: hash => this.torrents.find(hash),
      methods: methodsOf(this.settings),
      random: this.#deps.random,
      keys: this.#keys,
    })
  }
}
