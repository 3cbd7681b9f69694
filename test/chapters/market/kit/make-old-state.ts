// Makes the state directory that later versions are upgraded from, by real use of the version that is released:
// node dist/test/chapters/market/kit/make-old-state.js PROGRAM ARCHIVE.tar.gz. PROGRAM is the command of that version;
// litecoind and anvil are the chains. Needs the right to mount (root). CONTRIBUTING.md, "A release", says when.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import type { MadeTorrent } from '../../../kit/content/make-torrent.ts'
import { startAnvil } from '../../wallets/kit/anvil-chain.ts'
import { type RpcChain, startLitecoind } from '../../wallets/kit/rpc-chain.ts'
import { WalletClient } from '../../wallets/kit/wallet-client.ts'
import * as old from './old-state.ts'

const ETHER = 10n ** 18n
/** Until all downloads are where they shall be. */
const TORRENT_LIMIT_MS = 60_000
const FIRST_KEY = 'the-first-key-of-an-old-node'

async function ask<T>(node: NodeProcess, method: string, where: string, body?: object): Promise<T> {
  const reply = await node.request(method, where, body)
  assert.ok(reply.status < 300, `${method} ${where}: ${reply.body.toString()}`)
  return reply.json<T>()
}

const base64 = ({ torrent }: MadeTorrent): string => Buffer.from(torrent).toString('base64')

/** A node that has the first half of everything and will never have more. */
async function startSeeder(program: string, folder: string): Promise<NodeProcess> {
  await mkdir(path.join(folder, 'state'), { recursive: true, mode: 0o700 })
  const node = await startNode({ cli: program, stateDir: path.join(folder, 'state') })
  for (let number = 0; number < old.DOWNLOADS; number++) {
    const made = old.oldTorrent(number)
    const [{ path: name } = { path: '' }] = made.files
    const file = await open(path.join(folder, name), 'w')
    await file.write(made.content.subarray(0, old.HALF_BYTES))
    await file.truncate(old.WHOLE_BYTES)
    await file.close()
    await writeFile(path.join(folder, `${number}.torrent`), made.torrent)
    const uri = `file:${path.join(folder, `${number}.torrent`)}`
    await ask(node, 'PUT', '/downloads', { uri, destination: folder, overwrite: true })
  }
  return node
}

interface Listed {
  readonly downloads: readonly { readonly infohash: string; readonly progress: number }[]
}

const halfDone = ({ downloads }: Listed): boolean =>
  downloads.filter(({ progress }) => progress === 0.5).length === old.DOWNLOADS

async function useDownloads(node: NodeProcess, seeder: NodeProcess): Promise<void> {
  await seeder.until<Listed>('/downloads', halfDone, TORRENT_LIMIT_MS)
  const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
  for (let number = 0; number < old.DOWNLOADS; number++) {
    const { infoHash } = old.oldTorrent(number)
    const body = { uri: `magnet:?xt=urn:btih:${infoHash}&x.pe=${peer}`, destination: `${old.MOUNTED}/downloads` }
    await ask(node, 'PUT', '/downloads', body)
  }
  await node.until<Listed>('/downloads', halfDone, TORRENT_LIMIT_MS)
}

async function useMoney(
  node: NodeProcess,
  ether: RpcChain,
  litecoin: RpcChain,
): Promise<Pick<old.OldFacts, 'order' | 'addresses'>> {
  const [coins, wei] = [new WalletClient(node, 'TLTC'), new WalletClient(node, 'TETH')]
  await coins.create()
  await wei.create()
  const addresses = { TLTC: (await coins.record()).address, TETH: (await wei.record()).address }
  await litecoin.call('sendtoaddress', addresses.TLTC, 10)
  await litecoin.call('generatetoaddress', 2, await litecoin.call<string>('getnewaddress', '', 'bech32'))
  const [rich = ''] = await ether.call<string[]>('eth_accounts')
  await ether.call('eth_sendTransaction', { from: rich, to: addresses.TETH, value: `0x${(5n * ETHER).toString(16)}` })
  await coins.until(({ balance }) => balance.available_exact === '10')
  await wei.until(({ balance }) => balance.available_exact === '5')
  await ask(node, 'PUT', '/market/asks', { ...old.ORDER, timeout: 86_400 })
  const { orders } = await node.get<{ orders: { order_number: number; status: string }[] }>('/market/orders')
  const [{ order_number: number, status } = { order_number: 0, status: '' }] = orders
  // Who was paid shows the next address.
  const shown = { TLTC: (await coins.record()).address, TETH: (await wei.record()).address }
  return { order: { number, status }, addresses: shown }
}

async function useTheRest(node: NodeProcess, folder: string): Promise<Pick<old.OldFacts, 'keys' | 'link' | 'channel'>> {
  await ask(node, 'POST', '/settings', {
    libtorrent: { max_upload_rate: old.UPLOAD_LIMIT },
    watch_folder: { enabled: true, directory: `${old.MOUNTED}/watched` },
  })
  const { dispersy_cid: channel } = await ask<{ dispersy_cid: string }>(node, 'PUT', '/channels/discovered', {
    name: old.CHANNEL_NAME,
    description: 'What an upgrade must keep',
    mode: 'closed',
  })
  const published = { torrent: base64(old.publishedTorrent()) }
  await ask(node, 'PUT', `/channels/discovered/${channel}/torrents`, published)
  await writeFile(path.join(folder, 'watched/watched.torrent'), old.watchedTorrent().torrent)
  const isThere = ({ downloads }: Listed): boolean =>
    downloads.some(({ infohash }) => infohash === old.watchedTorrent().infoHash)
  await node.until<Listed>('/downloads', isThere, TORRENT_LIMIT_MS)
  const reader = await ask<{ key: string }>(node, 'PUT', '/keys', { name: 'reader', scopes: ['read'] })
  const given = { name: 'the tablet', infohash: old.oldTorrent(0).infoHash, fileindex: 0, days: 0 }
  const { url: link } = await ask<{ url: string }>(node, 'PUT', '/links', given)
  return { keys: { first: node.key, reader: reader.key }, link, channel }
}

async function make(program: string, archive: string): Promise<void> {
  const work = await mkdtemp(path.join(os.tmpdir(), 'tributary-old-state-'))
  const folder = path.join(work, 'kept')
  for (const name of ['state', 'downloads', 'watched'])
    await mkdir(path.join(folder, name), { recursive: true, mode: 0o700 })
  const [ether, litecoin] = [await startAnvil(), await startLitecoind(450)]
  const seeder = await startSeeder(program, path.join(work, 'seeder'))
  const settings = {
    'wallets.teth_server': ether.url,
    'wallets.teth_chain_id': 31_337,
    'wallets.tltc_server': litecoin.url,
    'wallets.tltc_network': 'regtest',
  }
  const node = await startNode({
    ...old.mountedNode(folder),
    cli: program,
    settings,
    args: ['--api-key', FIRST_KEY],
  })
  try {
    await useDownloads(node, seeder)
    const money = await useMoney(node, ether, litecoin)
    const version = execFileSync(process.execPath, [program, '--version'], { encoding: 'utf8' }).trim()
    const facts: old.OldFacts = { version, ...(await useTheRest(node, folder)), ...money }
    assert.equal((await node.stop()).code, 0)
    await writeFile(path.join(folder, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`)
    // Contents are made again by who needs them: of files of downloads only sizes and times are kept.
    await emptyFiles(path.join(folder, 'downloads'))
    execFileSync('tar', [
      '--format=posix',
      '--sparse',
      '--sort=name',
      '--owner=0',
      '--group=0',
      '-C',
      folder,
      '-czf',
      archive,
      '.',
    ])
  } finally {
    await Promise.all([node.stop(), seeder.stop(), ether.stop(), litecoin.stop()])
    await rm(work, { recursive: true, force: true })
  }
}

/** Takes out what files hold; their sizes and times stay, to the nanosecond. */
async function emptyFiles(folder: string): Promise<void> {
  const script = 'touch -r "$1" "$2"; truncate -s 0 "$1"; truncate -s "$3" "$1"; touch -r "$2" "$1"; rm "$2"'
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    execFileSync('sh', ['-ec', script, 'empty', file, path.join(folder, '..', 'time'), String((await stat(file)).size)])
  }
}

const [program, archive] = process.argv.slice(2)
assert.ok(program !== undefined && archive !== undefined, 'usage: make-old-state PROGRAM ARCHIVE.tar.gz')
await make(path.resolve(program), path.resolve(archive))
