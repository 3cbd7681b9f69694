// The command `open`: the dashboard in a browser, signed in by a link that works once.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { localAddress } from '../../node/state/node-address.ts'
import { openerOf, openPage } from './browser.ts'
import { forNode, type NodeFlags, print, runForNode } from '../command-run.ts'
import type { NodeClient } from '../node-client.ts'

interface OpenFlags extends NodeFlags {
  readonly print?: boolean
  readonly anywhere?: boolean
}

/** How long a browser is waited for, and between two looks, ms. */
const WAIT_MS = 60_000
const LOOK_MS = 500

/** Waits until the link was used: then its file can go. False: nobody did in time. */
async function isUsed(node: NodeClient, id: string): Promise<boolean> {
  const ends = performance.now() + WAIT_MS
  while (performance.now() < ends) {
    const { state } = await node.call('GET /login/{id}', { path: { id } })
    if (state !== 'waiting') return state === 'used'
    await sleep(LOOK_MS)
  }
  return false
}

async function openLink(node: NodeClient, opener: string, link: string, id: string): Promise<void> {
  const page = openPage(opener, link)
  const interrupted = (): void => {
    page.remove()
    process.exit(130)
  }
  process.once('SIGINT', interrupted)
  try {
    if (!(await page.isOpened)) return print(`No browser was started by ${opener}: use the link.\n`)
    print((await isUsed(node, id)) ? 'The browser is signed in.\n' : 'No browser has used the link yet.\n')
  } finally {
    process.removeListener('SIGINT', interrupted)
    page.remove()
  }
}

/** Adds `open`. */
export function addOpenCommand(program: Command): void {
  forNode(program.command('open').description('Open the dashboard in a browser, signed in.'))
    .option('--print', 'print the link and open nothing')
    .option('--anywhere', 'let the link work beyond this machine and its local network too')
    .addHelpText(
      'after',
      '\nThe link works once, for ten minutes. The browser gets a key of its own: see tributary key list, key remove.',
    )
    .action((flags: OpenFlags) =>
      runForNode(flags, async ({ node, show, json }) => {
        const parameters = flags.anywhere === true ? { anywhere: true } : {}
        const offer = await node.call('PUT /login', { parameters })
        const link = localAddress(node.url) + offer.path
        show({ ...offer, link }, () => `${link}\n`)
        const opener = flags.print === true || json ? null : openerOf(process.platform, process.env)
        if (opener !== null) await openLink(node, opener, link, offer.id)
      }),
    )
}
