// A bcoin node in regtest: a chain of Bitcoin's kind whose blocks the test makes. Its addresses begin with rb where
// others have bcrt.

import { bech32 } from '@scure/base'
import path from 'node:path'
import { startDaemon } from '../../../kit/nodes/daemon-process.ts'
import { freePort } from '../../../kit/free-port.ts'
import { projectRoot } from '../../../kit/project-root.ts'
import { askRpc, type RpcChain } from './rpc-chain.ts'
import { waitFor } from '../../../kit/wait-for.ts'

/** The address as bcoin writes it. */
export function addressForBcoin(address: string): string {
  const { words } = bech32.decode(address as `${string}1${string}`)
  return bech32.encode('rb', words)
}

/** Starts it; nothing is mined. */
export async function startBcoin(): Promise<RpcChain> {
  const port = await freePort()
  const url = `http://x:test@127.0.0.1:${port}`
  const daemon = startDaemon(process.execPath, [
    path.join(projectRoot, 'test/chapters/wallets/kit/bcoin-node.cjs'),
    String(port),
    'test',
  ])
  await waitFor('bcoin is ready', () => {
    daemon.assertRunning()
    return daemon.output().includes('ready')
  })
  return { url, call: (method, ...parameters) => askRpc(url, method, parameters), stop: () => daemon.stop() }
}
