// Live progress of downloads: bars that are drawn over on a terminal, lines where there is none. It ends when all are there.

import { setTimeout as sleep } from 'node:timers/promises'
import { type CommandContext, print } from './command-run.ts'
import { allDownloads, chosenDownloads } from './chosen.ts'
import { CommandError } from './node-client.ts'
import type { DownloadRow } from './records.ts'
import { barText, percentText, printable, rateText, sizeText, statusText, timeText } from './show.ts'

const LOOK_MS = 1000
const BAR = 24
const NAME = 40

/** Watches until all are complete; CommandError when one failed, was removed, or is stopped before it is there. */
export async function watchDownloads(context: CommandContext, texts: readonly string[]): Promise<void> {
  const { node, json } = context
  const hashes = new Set((await chosenDownloads(node, texts)).map(({ infohash }) => infohash))
  if (hashes.size === 0) return
  const screen = json ? null : new Screen(process.stdout.isTTY ? process.stdout.columns : null)
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

function isThere({ progress, status, total_pieces: pieces }: DownloadRow): boolean {
  return pieces > 0 && progress >= 1 && (status === 'DLSTATUS_SEEDING' || status === 'DLSTATUS_STOPPED')
}

function checkFailures(rows: readonly DownloadRow[], expected: number): void {
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

/** Where progress is shown; `columns` null = no terminal: a line for each whole percent. */
class Screen {
  readonly #columns: number | null
  readonly #told = new Map<string, string>()
  #drawn = 0

  constructor(columns: number | null) {
    this.#columns = columns
  }

  draw(rows: readonly DownloadRow[]): void {
    if (this.#columns === null) return this.#lines(rows)
    const width = this.#columns
    const back = this.#drawn > 0 ? `\u001b[${this.#drawn}A` : ''
    print(back + rows.map(row => `\u001b[2K${[...lineOf(row)].slice(0, width - 1).join('')}\n`).join(''))
    this.#drawn = rows.length
  }

  #lines(rows: readonly DownloadRow[]): void {
    for (const row of rows) {
      const state = `${statusText(row.status, row.queued)} ${Math.floor(row.progress * 100)}`
      if (this.#told.get(row.infohash) === state) continue
      this.#told.set(row.infohash, state)
      print(`${lineOf(row)}\n`)
    }
  }
}

function lineOf(row: DownloadRow): string {
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
