// Live progress of downloads: bars that are drawn over on a terminal, lines where there is none. It ends when all are
// there.

import { setTimeout as sleep } from 'node:timers/promises'
import { type CommandContext, print } from './command-run.ts'
import { allDownloads, chosenDownloads } from './chosen.ts'
import type { Download } from '../client/core-routes.ts'
import { CommandError } from './node-client.ts'
import { Redrawn, type ScreenSize } from './screen.ts'
import { barText, percentText, printable, rateText, sizeText, statusText, timeText } from './show.ts'

const LOOK_MS = 1000
const BAR = 24
const NAME = 40

/** Watches until all are complete; CommandError when one failed, was removed, or is stopped before it is there. */
export async function watchDownloads(context: CommandContext, texts: readonly string[]): Promise<void> {
  const { node, json } = context
  const hashes = new Set((await chosenDownloads(node, texts)).map(({ infohash }) => infohash))
  if (hashes.size === 0) return
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

function isThere({ progress, status, total_pieces: pieces }: Download): boolean {
  return pieces > 0 && progress >= 1 && (status === 'DLSTATUS_SEEDING' || status === 'DLSTATUS_STOPPED')
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

/** What is drawn: no more lines than there is room for, those that move first, and how many are left out. */
export function screenLines(rows: readonly Download[], { columns, rows: height }: ScreenSize): string[] {
  const room = Math.max(1, height - 1)
  const whole = rows.length <= room
  const shown = whole ? rows : rows.toSorted((a, b) => weight(b) - weight(a)).slice(0, Math.max(1, room - 1))
  const lines = shown.map(lineOf)
  if (!whole && room > 1) lines.push(`and ${rows.length - shown.length} more`)
  return lines.map(line => [...line].slice(0, Math.max(1, columns - 1)).join(''))
}

function weight(row: Download): number {
  return (isThere(row) ? 0 : 1) + row.speed_down + row.speed_up
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
      const state = `${statusText(row.status, row.queued)} ${Math.floor(row.progress * 100)}`
      if (this.#told.get(row.infohash) === state) continue
      this.#told.set(row.infohash, state)
      print(`${lineOf(row)}\n`)
    }
  }
}

function lineOf(row: Download): string {
  const name = [...printable(row.name)].slice(0, NAME).join('').padEnd(NAME)
  const done = `${barText(row.progress, BAR)} ${percentText(row.progress).padStart(6)}`
  const facts = [
    row.size > 0 ? sizeText(row.size) : '',
    rateText(row.speed_down),
    row.progress < 1 && row.speed_down > 0 ? timeText(row.eta) : '',
    `${row.num_connected_peers} peers`,
    statusText(row.status, row.queued),
  ]
  return `${name} ${done}  ${facts.filter(fact => fact !== '').join('  ')}`
}
