// A free port of loopback, for other programs that cannot choose one themselves.

import { type AddressInfo, createServer } from 'node:net'

/** It may be taken by somebody else before it is used; whoever starts a program there says so then. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>(resolve => server.close(() => resolve()))
  return port
}
