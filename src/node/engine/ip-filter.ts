// The IP filter of the node: lists of setting network.ip_filter, read in turns of the loop, watched, and handed to the
// engine, which keeps these addresses away. Invariant: the filter in force is always a whole one.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { IpFilterFiles } from '../../io/files/ip-filter-file.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { buildIpFilter, IpFilter } from '../../torrent/index.ts'
import { runStepsInTurns } from '../../wire/steps.ts'

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
  #taken: (filter: IpFilter) => void = () => undefined

  constructor(files: readonly string[], { clock, log }: NodeIpFilterDeps) {
    this.#files = files
    this.#lists = new IpFilterFiles(
      { files },
      {
        clock,
        log: log.part('ipfilter'),
        take: async ranges => {
          this.#filter = await runStepsInTurns(buildIpFilter(ranges), () => nextTurn())
          this.#taken(this.#filter)
        },
      },
    )
  }

  /** Whether the filter in force holds an address. */
  blocks(ip: string): boolean {
    return this.#filter.blocks(ip)
  }

  /**
   * Reads the lists; `taken` is given each filter from now on. Rejects with AppError BadConfiguration when a list
   * cannot be read: a node that was given a filter must not run without it.
   */
  async start(taken: (filter: IpFilter) => void): Promise<void> {
    this.#taken = taken
    if (this.#files.length > 0) await this.#lists.start()
  }

  /** Follows the setting. What cannot be read leaves the old lists in force. */
  follow(files: readonly string[]): void {
    if (files.join('\n') === this.#files.join('\n')) return
    this.#files = files
    void this.#lists.setFiles(files)
  }

  stop(): Promise<void> {
    return this.#lists.stop()
  }
}
