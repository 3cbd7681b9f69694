// A whole engine over real TCP on the loopback and real files in a fresh folder; journal, trackers and metadata in
// memory.
// `close()` checks that no slot is left lent.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SystemClock } from '../../../src/io/clock.ts'
import { SystemRandom } from '../../../src/io/random.ts'
import { NetTcpNetwork } from '../../../src/io/net/tcp-net.ts'
import { SharedArena } from '../../../src/pools/arena.ts'
import { FilePieceStores } from '../../../src/pools/piece-stores.ts'
import type { PunchFile } from '../../../src/pools/punch-spans.ts'
import type { HttpRanges } from '../../../src/ports/http-ranges.ts'
import type { Log } from '../../../src/ports/log.ts'
import type { TcpNetwork } from '../../../src/ports/tcp.ts'
import { Session, type SessionOptions, type TorrentHandle, type TorrentSpec } from '../../../src/torrent/index.ts'
import type { TorrentEvents } from '../../../src/torrent/types.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { testedHash } from '../hash-path.ts'
import { FakeAnnouncers } from '../doubles/fake-announcers.ts'
import { type MadeTorrent, specOf } from '../content/make-torrent.ts'
import { MemoryJournal, MemoryMetadata } from '../doubles/memory-journal.ts'

export interface LoopbackOptions {
  readonly session?: Partial<SessionOptions>
  readonly blockBytes?: number
  readonly folder?: string
  readonly journal?: MemoryJournal
  readonly webSeeds?: HttpRanges
  /** Default: by the machine code. */
  readonly punch?: PunchFile
  /** Who hears of its torrents in the place of `events`, as far as given. */
  readonly events?: Partial<TorrentEvents>
  /** Default: TCP. */
  readonly tcp?: TcpNetwork
}

/** One engine. */
export class LoopbackNode {
  readonly folder: string
  readonly journal: MemoryJournal
  readonly announcers = new FakeAnnouncers()
  readonly blockArena: SharedArena
  readonly rangeArena = new SharedArena({ id: 'range', bytes: 4 * 1024 * 1024 })
  readonly stores: FilePieceStores
  readonly session: Session
  /** `finished`, `failed`, `metadata`, `aside` (path, name it is kept as) and status changes, oldest first. */
  readonly events: string[] = []
  /** Lines of level error: defects. */
  readonly errors: string[] = []

  constructor(options: LoopbackOptions = {}) {
    const clock = new SystemClock()
    const log = this.#log()
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'tributary-node-'))
    this.journal = options.journal ?? new MemoryJournal()
    this.blockArena = new SharedArena({ id: 'block', bytes: options.blockBytes ?? 8 * 1024 * 1024 })
    const { blockArena, rangeArena, events } = this
    this.stores = new FilePieceStores(
      { threads: 1, hash: testedHash },
      {
        blockArena,
        rangeArena,
        clock,
        log,
        onRepeatedLoss: () => this.errors.push('workers keep dying'),
        ...(options.punch === undefined ? {} : { punch: options.punch }),
      },
    )
    this.session = new Session(
      {
        listenIp: '127.0.0.1',
        listenPort: 0,
        localIp: null,
        maxConnections: 100,
        maxConnectionsPerTorrent: 50,
        uploadSlots: 4,
        maxDownloadRate: 0,
        maxUploadRate: 0,
        version: '0.1.0',
        ...options.session,
      },
      {
        clock,
        random: new SystemRandom(),
        log,
        tcp: options.tcp ?? new NetTcpNetwork(),
        stores: this.stores,
        journal: this.journal,
        metadata: new MemoryMetadata(),
        announcers: this.announcers,
        blockArena,
        rangeArena,
        ...(options.webSeeds === undefined ? {} : { webSeeds: options.webSeeds }),
        events: {
          metadata: async () => void events.push('metadata'),
          finished: () => events.push('finished'),
          failed: (_infoHash, error) => events.push(`failed ${error}`),
          statusChanged: (_infoHash, status) => events.push(status),
          fileSetAside: (_infoHash, path, kept) => events.push(`aside ${path} ${kept}`),
          ...options.events,
        },
      },
    )
  }

  get address(): { ip: string; port: number } {
    return { ip: '127.0.0.1', port: this.session.listenPort }
  }

  async start(): Promise<this> {
    await this.session.start()
    return this
  }

  /** Writes the files of `torrent` where a download of it would put them. */
  async put(torrent: MadeTorrent): Promise<void> {
    const metainfo = decodeMetainfo(torrent.torrent)
    for (const file of metainfo.files) {
      if (file.padding) continue
      const path = join(this.folder, ...file.path)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, torrent.content.subarray(file.offset, file.offset + file.length))
    }
  }

  add(torrent: MadeTorrent, spec: Partial<TorrentSpec> = {}): TorrentHandle {
    return this.session.add({ ...specOf(torrent), destination: this.folder, announceTiers: [], ...spec })
  }

  /** Ends the engine; `keep` leaves the folder for another one. */
  async close(keep = false): Promise<void> {
    await this.session.stop(5000)
    await this.stores.stop(5000)
    if (!keep) rmSync(this.folder, { recursive: true, force: true })
    assert.equal(this.blockArena.freeCount, this.blockArena.slotCount, 'a block slot is still lent')
    assert.equal(this.rangeArena.freeCount, this.rangeArena.slotCount, 'a range slot is still lent')
    assert.deepEqual(this.errors, [])
  }

  #log(): Log {
    const nothing = () => undefined
    const log: Log = {
      debug: nothing,
      info: nothing,
      warn: nothing,
      error: (message, fields) => this.errors.push(`${message} ${JSON.stringify(fields)}`),
      part: () => log,
    }
    return log
  }
}
