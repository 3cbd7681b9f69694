// Addresses of one's own on the loopback device of a test's network namespace (test/kit/netns makes 10.77.0.0/16
// local): a block of 252 a test process, several for a benchmark, so that programs running side by side never share an
// address.

import { createServer, type Server } from 'node:net'

/** How many addresses a block has: its last two bytes are .2 to .253, .254 holds it. */
export const BLOCK_HOSTS = 252
const FIRST_HOST = 2
const LAST_BLOCK = 254

export interface LoopbackHosts {
  /** An address that nobody in the namespace has got before. Throws when all are given away. */
  next(): string
  release(): Promise<void>
}

/** Holds a block for as long as it is not closed. */
export type ClaimBlock = (block: number) => Promise<Pick<Server, 'close'> | null>

function listenInBlock(block: number): Promise<Server | null> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen({ host: `10.77.${block}.254`, port: 1, exclusive: true }, () => resolve(server))
  })
}

/**
 * Claims so many blocks for this process, `claim` by `claim` (default: by listening on the last address of each, so
 * that they are free again however we end). Throws when not so many are free.
 */
export async function claimHosts(blocks = 1, claim: ClaimBlock = listenInBlock): Promise<LoopbackHosts> {
  const held: { readonly block: number; readonly by: Pick<Server, 'close'> }[] = []
  const release = async () => {
    await Promise.all(held.splice(0).map(({ by }) => new Promise<void>(resolve => by.close(() => resolve()))))
  }
  for (let block = 1; block <= LAST_BLOCK && held.length < blocks; block++) {
    const by = await claim(block)
    if (by !== null) held.push({ block, by })
  }
  if (held.length < blocks) {
    await release()
    throw new Error('every address block of the namespace is taken')
  }
  const numbers = held.map(({ block }) => block)
  let given = 0
  const next = () => {
    const block = numbers[Math.floor(given / BLOCK_HOSTS)]
    if (block === undefined) throw new Error(`all ${numbers.length * BLOCK_HOSTS} addresses are given away`)
    return `10.77.${block}.${FIRST_HOST + (given++ % BLOCK_HOSTS)}`
  }
  return { next, release }
}
