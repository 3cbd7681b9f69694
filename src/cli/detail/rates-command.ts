// How fast a download was: its rates as two lines of bars that fit a terminal.

import { type Command, Option } from 'commander'
import type { DownloadRates } from '../../client/core-routes.ts'
import { chosenDownload, DOWNLOAD } from '../chosen.ts'
import { forNode, type NodeFlags, runForNode } from '../command-run.ts'
import { printable } from '../show.ts'
import { rateText } from '../units.ts'

const BARS = ' ▁▂▃▄▅▆▇█'
const MOST_COLUMNS = 60
/** Of the columns of a terminal: `  Down  ` and, behind the bars, `  most 1023.9 MiB/s`. */
const OTHER_COLUMNS = 30
const RANGES = { hour: 'in the last hour', day: 'in the last 24 hours', month: 'in the last 31 days' } as const

type Range = keyof typeof RANGES

/** A bar for each group of numbers, as high as its largest. What moved at all is never empty. */
export function barsOf(numbers: readonly number[], columns: number): string {
  const most = Math.max(0, ...numbers)
  const width = Math.max(1, Math.min(columns, numbers.length))
  const bars = Array.from({ length: width }, (_, column) => {
    const [from, to] = [column, column + 1].map(at => Math.floor((at * numbers.length) / width))
    const largest = Math.max(0, ...numbers.slice(from, to))
    return BARS[largest > 0 ? Math.ceil((largest / most) * (BARS.length - 1)) : 0] ?? ''
  })
  return bars.join('')
}

/** The rates of a download in words and bars. */
export function ratesText(name: string, rates: DownloadRates, columns: number): string {
  const { range, speed_down: down, speed_up: up } = rates
  const head = `${printable(name)} ${RANGES[range]}`
  if (![...down, ...up].some(rate => rate > 0)) return `${head}: nothing moved.\n`
  const width = Math.max(10, Math.min(MOST_COLUMNS, columns - OTHER_COLUMNS))
  const line = (label: string, numbers: readonly number[]): string => {
    const most = rateText(Math.max(...numbers))
    return `  ${label.padEnd(4)}  ${barsOf(numbers, width)}  ${most === '' ? 'nothing' : `most ${most}`}\n`
  }
  return `${head}:\n${line('Down', down)}${line('Up', up)}`
}

/** `rates`. */
export function addRatesCommand(program: Command): void {
  const range = new Option('-r, --range <range>', 'how far back').choices(Object.keys(RANGES)).default('hour')
  forNode(program.command('rates').description('How fast a download was in the last hour, day or month.'))
    .argument('<download>', DOWNLOAD)
    .addOption(range)
    .action((text: string, flags: NodeFlags & { range: Range }) =>
      runForNode(flags, async ({ node, show }) => {
        const { infohash, name } = await chosenDownload(node, text)
        const answer = await node.call('GET /downloads/{infohash}/rates', {
          path: { infohash },
          parameters: { range: flags.range },
        })
        const columns = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
        show(answer, rates => ratesText(name, rates, columns))
      }),
    )
}
