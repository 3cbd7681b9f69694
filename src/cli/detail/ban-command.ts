// The command `bans`: addresses of peers that no download talks to.

import type { Command } from 'commander'
import { forNode, type NodeFlags, runForNode } from '../command-run.ts'

interface BanFlags extends NodeFlags {
  readonly add: string[]
  readonly lift: string[]
}

const EMPTY = 'No peer is banned; tributary bans --add ADDRESS bans one.\n'

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

/** The command `bans`. */
export function addBansCommand(program: Command): void {
  forNode(program.command('bans').description('Addresses that no download talks to; bans them and lifts bans.'))
    .option('--add <address>', 'ban this address, without a port; may be repeated', collect, [])
    .option('--lift <address>', 'lift its ban; may be repeated', collect, [])
    .action((flags: BanFlags) =>
      runForNode(flags, async ({ node, show }) => {
        for (const ip of flags.add) await node.call('PUT /peers/banned', { parameters: { ip } })
        for (const ip of flags.lift) await node.call('DELETE /peers/banned', { parameters: { ip } })
        show(await node.call('GET /peers/banned'), ({ banned }) =>
          banned.length === 0 ? EMPTY : banned.map(ip => `${ip}\n`).join(''),
        )
      }),
    )
}
