// The command `trackers`: those of a download, and what is changed of them.

import { type Command, InvalidArgumentError } from 'commander'
import type { Download } from '../../client/core-routes.ts'
import { chosenDownload, DOWNLOAD } from '../chosen.ts'
import { forNode, type NodeFlags, runForNode } from '../command-run.ts'
import { CommandError } from '../node-client.ts'
import { tableText, timeText } from '../show.ts'

interface TrackerFlags extends NodeFlags {
  readonly add: string[]
  readonly remove: string[]
  readonly change?: string
  readonly to?: string
  readonly tier?: number
  readonly announce?: boolean
  readonly announceTo?: string
}

const COLUMNS = [
  ...['TIER', 'SEEDS', 'LEECHES', 'PEERS', 'NEXT'].map(head => ({ head, right: true })),
  { head: 'STATUS' },
  { head: 'TRACKER' },
]

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

function tierNumber(text: string): number {
  const tier = Number(text)
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('A tier is a number; 0 is asked first.')
  return tier
}

/** Rows of trackers and of other sources of peers; `nowSec`: seconds since 1970. */
export function trackersText(trackers: Download['trackers'], nowSec: number, width: number): string {
  if (trackers.length === 0) return 'It has no trackers; tributary trackers DOWNLOAD --add URL gives it one.\n'
  const count = (value: number | undefined): string => (value === undefined ? '' : String(value))
  const next = (atSec: number | undefined): string => (atSec === undefined ? '' : timeText(Math.max(1, atSec - nowSec)))
  return tableText(
    COLUMNS,
    trackers.map(({ url, status, peers, tier, seeds, leeches, next_announce: at }) => [
      ...[count(tier), count(seeds), count(leeches), String(peers), next(at)],
      ...[status, url],
    ]),
    width,
  )
}

/** The command `trackers`. */
export function addTrackersCommand(program: Command): void {
  forNode(program.command('trackers').description('Trackers of a download; adds, changes, removes and asks them.'))
    .argument('<download>', DOWNLOAD)
    .option('--add <url>', 'add one; may be repeated', collect, [])
    .option('--remove <url>', 'take one away; may be repeated', collect, [])
    .option('--change <url>', 'change this one: with --to, --tier or both')
    .option('--to <url>', 'its address from now on')
    .option('--tier <number>', 'the tier it is in from now on: 0 is asked first', tierNumber)
    .option('--announce', 'announce now, to all')
    .option('--announce-to <url>', 'announce now, to this one')
    .action((text: string, flags: TrackerFlags) =>
      runForNode(flags, async ({ node, show }) => {
        const { change, to, tier, announceTo } = flags
        if ((change === undefined) !== (to === undefined && tier === undefined)) {
          throw new CommandError('--change URL needs --to URL or --tier NUMBER, and they need --change.')
        }
        const { infohash } = await chosenDownload(node, text)
        const path = { infohash }
        for (const url of flags.add)
          await node.call('PUT /downloads/{infohash}/trackers', { path, parameters: { url } })
        if (change !== undefined) {
          const wanted = { ...(to !== undefined && { new_url: to }), ...(tier !== undefined && { tier }) }
          await node.call('PATCH /downloads/{infohash}/trackers', { path, parameters: { url: change, ...wanted } })
        }
        for (const url of flags.remove)
          await node.call('DELETE /downloads/{infohash}/trackers', { path, parameters: { url } })
        let said = ''
        if (flags.announce === true || announceTo !== undefined) {
          const parameters = announceTo === undefined ? {} : { url: announceTo }
          const { forced } = await node.call('PUT /downloads/{infohash}/tracker_force_announce', { path, parameters })
          said = forced
            ? 'Announced now; answers take some seconds.\n\n'
            : 'Nobody was asked: the download does not run, or was announced just now.\n\n'
        }
        const { trackers } = await chosenDownload(node, infohash)
        const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
        show({ trackers }, () => said + trackersText(trackers, Date.now() / 1000, width))
      }),
    )
}
