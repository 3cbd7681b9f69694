// `queue`: which downloads go first where some have to wait.

import { Argument, type Command } from 'commander'
import type { CoreRoutes, Download } from '../client/core-routes.ts'
import type { ReplyOf } from '../client/routes.ts'
import { doneText } from './change-each.ts'
import { chosenDownloads, MANY } from './chosen.ts'
import { forNode, type NodeFlags, runForNode } from './command-run.ts'
import { CommandError } from './node-client.ts'
import { printable } from './show.ts'

type Moved = ReplyOf<CoreRoutes, 'PATCH /queue'>
const STEPS = ['up', 'down', 'top', 'bottom'] as const
type Step = (typeof STEPS)[number]

/** What was done, a line for each. */
export function movedText({ modified, downloads }: Moved, rows: readonly Download[]): string {
  if (!modified) return downloads.length === 1 ? 'It was there already.\n' : 'They were there already.\n'
  const names = new Map(rows.map(({ infohash, name }) => [infohash, name === '' ? infohash.slice(0, 8) : name]))
  return doneText(
    downloads.map(({ infohash, queue_position: place }) => {
      return `${printable(names.get(infohash) ?? infohash)} is number ${place + 1} of the queue.`
    }),
  )
}

/** Adds the command. */
export function addQueueCommand(program: Command): void {
  forNode(program.command('queue').description('Move downloads in the queue: who is first runs first.'))
    .addArgument(new Argument('<move>', 'one place up or down, or all the way').choices(STEPS))
    .argument('<download...>', MANY)
    .addHelpText(
      'after',
      '\nSome wait only where libtorrent.active_downloads says how many run at a time. `ls --sort queue_order` shows the order.',
    )
    .action((move: Step, texts: string[], flags: NodeFlags) =>
      runForNode(flags, async ({ node, show }) => {
        const rows = await chosenDownloads(node, texts)
        if (rows.length === 0) throw new CommandError('There are no downloads.')
        const infohashes = rows.map(({ infohash }) => infohash)
        show(await node.call('PATCH /queue', { parameters: { infohashes, move } }), reply => movedText(reply, rows))
      }),
    )
}
