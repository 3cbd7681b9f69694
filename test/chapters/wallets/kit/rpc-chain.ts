// JSON-RPC of a chain's node in a test, and litecoind in regtest: a chain whose blocks the test makes.

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { startDaemon } from '../../../kit/nodes/daemon-process.ts'
import { freePort } from '../../../kit/free-port.ts'
import { waitFor } from '../../../kit/wait-for.ts'

/** A server of a chain. */
export interface RpcChain {
  /** For the settings of a node. */
  readonly url: string
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test says what it expects
  call<T = unknown>(method: string, ...parameters: unknown[]): Promise<T>
  stop(): Promise<void>
}

/** Asks a server; rejects with what it says. */
export async function askRpc<T>(url: string, method: string, parameters: readonly unknown[]): Promise<T> {
  const { username, password, origin } = new URL(url)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const reply = await fetch(origin, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(username === '' ? {} : { authorization }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: parameters }),
  })
  const { result, error } = (await reply.json()) as { result: T; error?: { message: string } | null }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

/** Extension blocks begin at this height in regtest, and the first one wants somebody to pay into it. */
const EXTENSION_BLOCKS = 431

async function mineFirst(call: RpcChain['call'], blocks: number, extension: boolean): Promise<void> {
  const miner = await call<string>('getnewaddress', '', 'bech32')
  const plain = extension ? Math.min(blocks, EXTENSION_BLOCKS) : blocks
  await call('generatetoaddress', plain, miner)
  if (blocks === plain) return
  await call('sendtoaddress', await call<string>('getnewaddress', '', 'mweb'), 1)
  await call('generatetoaddress', blocks - EXTENSION_BLOCKS, miner)
}

/** How litecoind is started. */
export interface LitecoindOptions {
  /** False: blocks have no extension, so that a test can make them itself. */
  readonly extension?: boolean
  /** Unix time, seconds, that its blocks begin with; its own clock otherwise. */
  readonly time?: number
}

/**
 * litecoind with a wallet of its own that has mined `blocks`. Unlike Bitcoin's, it replaces waiting transactions only
 * with an option.
 */
export async function startLitecoind(blocks: number, options: LitecoindOptions = {}): Promise<RpcChain> {
  const { extension = true, time = 0 } = options
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-litecoind-'))
  const port = await freePort()
  const url = `http://test:test@127.0.0.1:${port}`
  const daemon = startDaemon('litecoind', [
    ...['-regtest', `-datadir=${folder}`, '-server', '-listen=0', '-fallbackfee=0.0002', '-mempoolreplacement=1'],
    ...(extension ? [] : ['-vbparams=mweb:9999999998:9999999999']),
    ...(time === 0 ? [] : [`-mocktime=${time}`]),
    ...['-rpcuser=test', '-rpcpassword=test', `-rpcport=${port}`, '-rpcbind=127.0.0.1', '-rpcallowip=127.0.0.1'],
  ])
  const call = <T>(method: string, ...parameters: unknown[]): Promise<T> => askRpc<T>(url, method, parameters)
  const stop = async (): Promise<void> => {
    await daemon.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await waitFor('litecoind answers', () => {
      daemon.assertRunning()
      return call('getblockcount').then(
        () => true,
        () => false,
      )
    })
    await call('createwallet', 'test')
    await mineFirst(call, blocks, extension)
    return { url, call, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
