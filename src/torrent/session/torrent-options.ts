// What a user asks of one torrent beside running and selection: limits, order, another folder, and why it does not
// move. It passes changes on and reads state; what follows from them is done by the other parts.

import { BLOCK_BYTES } from '../../base/lengths.ts'
import type { FileChange, StorageMove } from '../../ports/piece-store.ts'
import { countAndNot, forEachPiece } from '../../base/piece-set.ts'
import type { RateLimiter } from '../../base/rate-limiter.ts'
import type { RateMeter } from '../../base/rate-meter.ts'
import type { TorrentContent, TorrentCore } from './torrent-core.ts'
import type { OutboundConnector } from '../peers/outbound-connector.ts'
import type { RoomParts } from './room-parts.ts'
import type { TorrentRun } from './torrent-run.ts'
import type { PieceOrder, TorrentObstacles } from '../types.ts'

/** A rate this near to its limit, as a part of it, is held by it: limits come in grains of a block. */
const AT_LIMIT = 0.8

/** What keeps a torrent still counts when it has been so for this long, ms. */
const QUIET_AFTER_MS = 30_000

/** Changed files that are named. */
const MAX_NAMED = 5

/**
 * What a user asks of one torrent beside running and selection: limits, order, another folder, and why it does not
 * move.
 */
export class TorrentOptions {
  readonly #core: TorrentCore
  readonly #requests: Pick<RoomParts['requests'], 'refillSoon'>
  readonly #connector: Pick<OutboundConnector, 'size'>
  readonly #run: Pick<TorrentRun, 'waitsForSpace' | 'metForeignFile'>
  readonly #changed: Pick<RoomParts['changed'], 'list'>

  constructor(
    core: TorrentCore,
    requests: Pick<RoomParts['requests'], 'refillSoon'>,
    connector: Pick<OutboundConnector, 'size'>,
    run: Pick<TorrentRun, 'waitsForSpace' | 'metForeignFile'>,
    changed: Pick<RoomParts['changed'], 'list'>,
  ) {
    this.#core = core
    this.#requests = requests
    this.#connector = connector
    this.#run = run
    this.#changed = changed
  }

  /** Limits of this torrent alone, bytes/s, 0 = none; the session's count too. */
  setRateLimits(limits: { readonly maxDownloadRate: number; readonly maxUploadRate: number }): void {
    this.#core.downLimiter.setRate(limits.maxDownloadRate)
    this.#core.upLimiter.setRate(limits.maxUploadRate)
  }

  /** Which pieces come first. What was begun goes on. */
  setOrder(order: PieceOrder): void {
    this.#core.setOrder(order)
    if (this.#core.working) this.#requests.refillSoon()
  }

  /** BEP 16, for peers that connect from now on. */
  setSuperSeeding(on: boolean): void {
    this.#core.superSeeding = on
  }

  /** Files of others in its places are written over from the next write on. */
  setOverwrite(on: boolean): void {
    this.#core.overwrite = on
  }

  /** See TorrentHandle.moveStorage. */
  async moveStorage(move: StorageMove): Promise<void> {
    const { content } = this.#core
    if (content !== null) {
      await content.store.move(move)
    } else {
      await move.commit()
      // The metadata came while the records were written: files were begun in the old place.
      await this.#core.content?.store.move({ ...move, commit: () => Promise.resolve() })
    }
    this.#core.destination = move.destination
    const named = this.#core.content
    if (named !== null && move.files !== undefined) named.metainfo = { ...named.metainfo, files: move.files }
  }

  /** What is in the way now. */
  obstacles(): TorrentObstacles {
    const core = this.#core
    const { engine, content, known, peers } = core
    const nowMs = core.now()
    const dialing = this.#connector.size
    const { connections } = engine
    const isUsable = () => known.hasCandidates(one => !connections.refuses(one.address.ip, nowMs))
    const isBlocked = () => peers.size === 0 && dialing === 0 && known.size > 0 && !isUsable()
    // Made for each row of a list: what costs a walk is found when it is read.
    return {
      private: content?.metainfo.private ?? null,
      waitsForSpace: this.#run.waitsForSpace,
      changedFiles: content === null ? [] : named(content, this.#changed.list()),
      diskRetries: content?.retries.waiting ?? false,
      foreignFile: this.#run.metForeignFile,
      addresses: known.size,
      dialing,
      get allBlocked() {
        return isBlocked()
      },
      get allFiltered() {
        return isBlocked() && !known.hasCandidates(one => !connections.ipFilter.blocks(one.address.ip))
      },
      encryption: core.encryptionTrouble,
      networkTrouble: engine.deps.swarm?.networkTrouble?.() ?? null,
      connectionsFull: engine.connections.connected >= engine.limits.maxConnections,
      downLimited: core.needsPieces && isHeld(core.downLimiter, core.down, nowMs),
      makesWay: core.needsPieces && engine.shared.turns.waits(core.infoHash, core.now()),
      upLimited: core.working && isHeld(core.upLimiter, core.up, nowMs),
      quiet: nowMs - Math.max(core.sinceMs, core.down.lastMs, core.up.lastMs) >= QUIET_AFTER_MS,
      get piecesLeft() {
        return content === null ? 0 : countAndNot(content.wanted.buffer, content.picker.have.buffer)
      },
      get piecesNobodyHas() {
        return content === null ? 0 : piecesNobodyHas(content)
      },
    }
  }
}

function named(
  { metainfo }: TorrentContent,
  changes: ReadonlyMap<number, FileChange>,
): TorrentObstacles['changedFiles'] {
  const first = [...changes].slice(0, MAX_NAMED)
  return first.map(([file, change]) => ({ name: metainfo.files[file]?.path.join('/') ?? '', change }))
}

function isHeld(limiter: RateLimiter, meter: RateMeter, nowMs: number): boolean {
  if (limiter.unlimited) return false
  const atLimit = limiter.rate > 0 && meter.rate(nowMs) >= AT_LIMIT * limiter.rate
  return atLimit || limiter.available(nowMs) < BLOCK_BYTES
}

function piecesNobodyHas({ wanted, picker }: TorrentContent): number {
  if (picker.availability() >= 1) return 0
  let count = 0
  forEachPiece(wanted, piece => {
    if (!picker.have.get(piece) && picker.availabilityOf(piece) === 0) count += 1
  })
  return count
}
