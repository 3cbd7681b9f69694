// Addresses of one's own on the loopback device of a test's network namespace (test/kit/netns makes 10.77.0.0/16
// local): one block of 254 a test process, so that test files running side by side never share an address.

import { createServer, type Server } from 'node:net'

export interface LoopbackHosts {
  /** An address that nobody in the namespace has got before. */
  next(): string
  release(): Promise<void>
}

function claim(block: number): Promise<Server | null> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen({ host: `10.77.${block}.254`, port: 1, exclusive: true }, () => resolve(server))
  })
}

/** Claims a block for this process: held by listening on its last address, so it is free again however we end. */
export async function claimHosts(): Promise<LoopbackHosts> {
  for (let block = 1; block < 255; block++) {
    const server = await claim(block)
    if (server === null) continue
    let last = 1
    return {
      next: () => `10.77.${block}.${++last}`,
      release: () => new Promise(resolve => server.close(() => resolve())),
    }
  }
  throw new Error('every address block of the namespace is taken')
}
