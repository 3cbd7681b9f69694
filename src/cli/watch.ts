// Live progress of downloads: bars that are drawn over on a terminal, lines where there is none. It ends when all are
// there.

import { setTimeout as sleep } from 'node:timers/promises'
import { type CommandContext, print } from './command-run.ts'
import { allDownloads, chosenDownloads } from './chosen.ts'
import type { Download } from '../client/core-routes.ts'
import { CommandError } from './node-client.ts'
import { Redrawn, type ScreenSize } from './screen.ts'
import { printable, stateText } from './show.ts'
import { isThere, plainLine, screenLines } from './watch-lines.ts'

const LOOK_MS = 1000

/** Watches until all are complete; CommandError when one failed, was removed, or is stopped before it is there. */
export async function watchDownloads(context: CommandContext, texts: readonly string[]): Promise<void> {
  const { node, json } = context
  const hashes = new Set((await chosenDownloads(node, texts)).map(({ infohash }) => infohash))
  if (hashes.size === 0) return json ? undefined : print('No downloads to watch.\n')
  const screen = json ? null : new Screen(process.stdout.isTTY ? process.stdout : null)
  let told = ''
  for (;;) {
    const rows = (await allDownloads(node)).filter(({ infohash }) => hashes.has(infohash))
    const text = JSON.stringify(rows)
    if (json && text !== told) print(`${text}\n`)
    told = text
    screen?.draw(rows)
    checkFailures(rows, hashes.size)
    if (rows.every(isThere)) return
    await sleep(LOOK_MS)
  }
}

function checkFailures(rows: readonly Download[], expected: number): void {
  if (rows.length < expected) throw new CommandError('A download was removed.')
  for (const row of rows) {
    if (row.status === 'DLSTATUS_STOPPED_ON_ERROR') {
      throw new CommandError(`${printable(row.name)}: ${printable(row.error)}`)
    }
  }
  const stopped = rows.filter(row => row.status === 'DLSTATUS_STOPPED' && !row.queued && !isThere(row))
  if (stopped.length > 0 && rows.every(row => isThere(row) || stopped.includes(row))) {
    throw new CommandError(`Stopped: ${stopped.map(({ name }) => printable(name)).join(', ')}`)
  }
}

/** Where progress is shown; null = no terminal: a line for each whole percent. */
class Screen {
  readonly #size: ScreenSize | null
  readonly #told = new Map<string, string>()
  readonly #redrawn = new Redrawn()

  constructor(size: ScreenSize | null) {
    this.#size = size
  }

  draw(rows: readonly Download[]): void {
    if (this.#size === null) return this.#lines(rows)
    this.#redrawn.draw(screenLines(rows, this.#size))
  }

  #lines(rows: readonly Download[]): void {
    for (const row of rows) {
      const state = `${stateText(row)} ${Math.floor(row.progress * 100)}`
      if (this.#told.get(row.infohash) === state) continue
      this.#told.set(row.infohash, state)
      print(`${plainLine(row)}\n`)
    }
  }
}
