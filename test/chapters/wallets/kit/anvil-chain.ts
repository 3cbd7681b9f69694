// anvil (Foundry): a chain of Ethereum's kind whose blocks the test makes.

import { existsSync } from 'node:fs'
import path from 'node:path'
import { startDaemon } from '../../../kit/nodes/daemon-process.ts'
import { freePort } from '../../../kit/free-port.ts'
import { projectRoot } from '../../../kit/project-root.ts'
import { askRpc, type RpcChain } from './rpc-chain.ts'
import { waitFor } from '../../../kit/wait-for.ts'

/** Where npm puts its machine code for this machine. */
export const ANVIL = path.join(
  projectRoot,
  `node_modules/@foundry-rs/anvil-${process.platform}-${archName()}/bin/anvil`,
)

function archName(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch
}

/** The `skip` option of tests. */
export const withoutAnvil: false | string = existsSync(ANVIL) ? false : 'not on this machine: anvil'

/** Starts it with chain id 31337. It mines each transaction at once, until `evm_setAutomine` says otherwise. */
export async function startAnvil(): Promise<RpcChain> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const daemon = startDaemon(ANVIL, ['--port', String(port), '--silent'])
  const call = <T>(method: string, ...parameters: unknown[]): Promise<T> => askRpc<T>(url, method, parameters)
  await waitFor('anvil answers', () => {
    daemon.assertRunning()
    return call('eth_chainId').then(
      () => true,
      () => false,
    )
  })
  return { url, call, stop: () => daemon.stop() }
}
