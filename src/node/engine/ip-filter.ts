// The IP filter of the node: lists of setting network.ip_filter, read in turns of the loop, watched, and handed to the
// engine, which keeps these addresses away, together with those that were banned by hand (network.banned_peers).
// Invariant: the filter in force is always a whole one.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { IpFilterFiles } from '../../io/files/ip-filter-file.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { buildIpFilter, IpFilter, ipFilterOf } from '../../torrent/index.ts'
import { runStepsInTurns } from '../../wire/steps.ts'

/** The settings it goes by. */
export interface IpFilterSettings {
  readonly ip_filter: readonly string[]
  readonly banned_peers: readonly string[]
}

/** What the filter needs. */
export interface NodeIpFilterDeps {
  readonly clock: Clock
  readonly log: Log
}

/**
 * The IP filter of the node: lists of setting network.ip_filter, read in turns of the loop, watched, and handed to the
 * engine, which keeps these addresses away.
 */
export class NodeIpFilter {
  readonly #lists: IpFilterFiles
  #files: readonly string[]
  #filter = IpFilter.none
  #banned: readonly string[]
  #bans: IpFilter
  #taken: (filter: IpFilter) => void = () => undefined

  constructor({ ip_filter: files, banned_peers: banned }: IpFilterSettings, { clock, log }: NodeIpFilterDeps) {
    this.#files = files
    this.#banned = banned
    this.#bans = ipFilterOf(banned)
    this.#lists = new IpFilterFiles(
      { files },
      {
        clock,
        log: log.part('ipfilter'),
        take: async ranges => {
          this.#filter = await runStepsInTurns(buildIpFilter(ranges), () => nextTurn())
          this.#give()
        },
      },
    )
  }

  /** Whether the lists in force hold an address: trackers and web seeds too keep away from it; a ban is of peers. */
  blocks(ip: string): boolean {
    return this.#filter.blocks(ip)
  }

  /**
   * Reads the lists; `taken` is given each filter from now on. Rejects with AppError BadConfiguration when a list
   * cannot be read: a node that was given a filter must not run without it.
   */
  async start(taken: (filter: IpFilter) => void): Promise<void> {
    this.#taken = taken
    if (this.#banned.length > 0) this.#give()
    if (this.#files.length > 0) await this.#lists.start()
  }

  /** Follows the settings: bans count at once. What cannot be read leaves the old lists in force. */
  follow({ ip_filter: files, banned_peers: banned }: IpFilterSettings): void {
    if (banned.join('\n') !== this.#banned.join('\n')) {
      this.#banned = banned
      this.#bans = ipFilterOf(banned)
      this.#give()
    }
    if (files.join('\n') === this.#files.join('\n')) return
    this.#files = files
    void this.#lists.setFiles(files)
  }

  #give(): void {
    this.#taken(this.#filter.with(this.#bans))
  }

  stop(): Promise<void> {
    return this.#lists.stop()
  }
}
