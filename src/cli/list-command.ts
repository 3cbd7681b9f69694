// Commands that list downloads: all of them, the part of the list that is asked for, or the busiest on a live screen.

import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CoreRoutes, Download } from '../client/core-routes.ts'
import type { ParametersOf, ReplyOf } from '../client/routes.ts'
import { forNode, type NodeFlags, runForNode } from './command-run.ts'
import { percentText, plainText, stateText, statusText, tableText, timeText } from './show.ts'
import { SORTS } from './top-lines.ts'
import { plainRateText, rateText, sizeText } from './units.ts'

type ListAnswer = ReplyOf<CoreRoutes, 'GET /downloads'>

interface ListFlags extends NodeFlags {
  readonly label?: string
  readonly status?: string
  readonly filter?: string
  readonly sort?: string
  readonly limit?: number
  readonly after?: string
  readonly offset?: number
  readonly totals?: true
  readonly infohash?: string
  readonly fields?: string
}

function width(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
}

/** `chosen`: it is a part of the list, asked for by an option. */
function listText(rows: readonly Download[], chosen: boolean): string {
  if (rows.length === 0) return chosen ? 'No downloads match.\n' : 'No downloads yet: tributary add MAGNET|FILE\n'
  const columns = [
    { head: 'HASH' },
    ...['DONE', 'SIZE', 'DOWN', 'UP', 'ETA', 'RATIO'].map(head => ({ head, right: true })),
    { head: 'STATUS' },
    { head: 'NAME' },
  ]
  const lines = rows.map(row => [
    row.infohash.slice(0, 8),
    percentText(row.progress),
    row.size > 0 ? sizeText(row.size) : '',
    rateText(row.speed_down),
    rateText(row.speed_up),
    row.progress < 1 && !row.status.startsWith('DLSTATUS_STOPPED') ? timeText(row.eta) : '',
    row.ratio.toFixed(2),
    anonymously(stateText(row), row.hops),
    row.name,
  ])
  return tableText(columns, lines, width())
}

/** `3 downloads: 2 seeding, 1 stopped. Down 1.0 MiB/s, up 0 B/s.`: states that a download is in. */
function totalsText({ count: all, speed_down: down, speed_up: up, states }: NonNullable<ListAnswer['totals']>): string {
  const named = Object.entries(states).filter(([state, number]) => state !== 'all' && number > 0)
  const parts = named.map(([state, number]) => `${number} ${state}`).join(', ')
  return `${all} ${all === 1 ? 'download' : 'downloads'}${parts === '' ? '' : `: ${parts}`}. Down ${plainRateText(down)}, up ${plainRateText(up)}.\n`
}

/** `downloading, 2 hops`. */
function anonymously(text: string, hops: number): string {
  return hops === 0 ? text : `${text}, ${hops} ${hops === 1 ? 'hop' : 'hops'}`
}

function count(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a number.')
  return Number(text)
}

/** What the node is asked for: nothing where no option says so, as older nodes answer that too. */
function askedOf(flags: ListFlags): ParametersOf<CoreRoutes, 'GET /downloads'> {
  const { filter, sort, limit, after, offset, totals } = flags
  const infohash = flags.infohash?.split(',')
  const fields = flags.fields?.split(',')
  return { filter, sort, limit, after, offset, infohash, fields, get_totals: totals }
}

/** What `--status` looks in: the word of the list, and the node's own. */
function statesOf(row: Download): string {
  const { status, queued } = row
  const own = status
    .replace(/^DLSTATUS_/, '')
    .toLowerCase()
    .replaceAll('_', ' ')
  const shown = stateText(row)
  return queued ? shown : `${shown}, ${statusText(status)} ${own}`
}

function isShown({ label, status }: ListFlags): (row: Download) => boolean {
  return row =>
    (label === undefined || row.labels.includes(label)) &&
    (status === undefined || statesOf(row).includes(status.toLowerCase()))
}

/** Whether options narrow the list. */
function isAsked({ filter, after, offset, infohash }: ListFlags): boolean {
  return [filter, after, offset, infohash].some(option => option !== undefined)
}

/** Adds `ls`. */
export function addListCommand(program: Command): void {
  forNode(program.command('ls').description('List downloads.'))
    .option('-l, --label <label>', 'only those with this label')
    .option('-s, --status <text>', 'only those whose status has this in it')
    .option('-f, --filter <words>', 'states (seeding, downloading, active ...), label:NAME, texts of name or info hash')
    .option('--sort <field>', 'name, size, ratio, -time_added ...; with - before it descending')
    .option('-n, --limit <n>', 'at most so many, up to 1000', count)
    .option('--after <infohash>', 'those behind this one: `next` of the answer before (--json)')
    .option('--offset <n>', 'pass so many over first', count)
    .option('--infohash <list>', 'only these, with commas between')
    .option('--fields <list>', 'only these fields, with commas between')
    .option('--totals', 'how many there are in all, in each state, and their rates, after the list')
    .action((flags: ListFlags) =>
      runForNode(flags, async ({ node, show, json }) => {
        const { downloads, ...page } = await node.call('GET /downloads', { parameters: askedOf(flags) })
        const chosen = flags.label !== undefined || flags.status !== undefined
        const wanted = chosen ? downloads.filter(isShown(flags)) : downloads
        if (json) show({ downloads: wanted, ...page })
        else {
          const list = () =>
            flags.fields === undefined ? listText(wanted, chosen || isAsked(flags)) : plainText(wanted)
          show(wanted, () => (page.totals === undefined ? list() : `${list()}\n${totalsText(page.totals)}`))
        }
      }),
    )
}

/** Adds `top`. */
export function addTopCommand(program: Command): void {
  const words = SORTS.map(({ word }) => word)
  forNode(program.command('top').description('A live screen: totals and the busiest downloads; q quits.'))
    .addOption(
      new Option('--sort <by>', 'what comes first; its first letter changes it').choices(words).default('download'),
    )
    .action((flags: NodeFlags & { sort: string }) =>
      runForNode(flags, async context => {
        const { runTop } = await import('./top.ts')
        await runTop(context, SORTS.find(({ word }) => word === flags.sort) ?? SORTS[0])
      }),
    )
}
