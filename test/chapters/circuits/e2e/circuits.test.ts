// Circuits by command line and interface against built nodes: looking starts nothing, what settings forbid is refused
// with its reason, hops are changed alone, and keys that may only read see none of it.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { cliPath, type ExitedNode, type NodeProcess, runCli, startNode } from '../../../kit/nodes/node-process.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const HASH = 'cd'.repeat(20)
/** Of the overlay; a port of its own choosing would not be seen. */
const OVERLAY_PORT = 'ipv8.port'

describe('circuits', { concurrency: 1 }, () => {
  let node: NodeProcess
  let forbidding: NodeProcess

  const tributary = (at: NodeProcess, ...args: string[]): Promise<ExitedNode> =>
    runCli(args, { TRIBUTARY_STATE_DIR: at.stateDir })

  before(async () => {
    // Nobody is asked for peers: tests stay on this machine.
    node = await startNode({ settings: { [OVERLAY_PORT]: 0, 'ipv8.bootstrap_override': ':' } })
    forbidding = await startNode({ settings: { 'tunnel_community.enabled': false } })
    for (const each of [node, forbidding]) {
      const uri = `magnet:?xt=urn:btih:${HASH}&dn=Quiet`
      assert.equal((await each.request('PUT', '/downloads', { uri })).status, 200)
    }
  })
  after(async () => {
    await node?.stop()
    await forbidding?.stop()
  })

  test('circuits: a sentence for people, everything for programs, and nothing is started', async () => {
    const sockets = async (): Promise<number> => {
      const { open_sockets: all } = await node.get<{ open_sockets: { type: number }[] }>('/debug/open_sockets')
      return all.filter(({ type }) => type === 2).length
    }
    const before = await sockets()
    const { code, stdout } = await tributary(node, 'circuits')
    assert.equal(code, 0)
    assert.equal(stdout, 'The overlays do not run: nothing has asked for circuits yet.\n')
    const seen = JSON.parse((await tributary(node, 'circuits', '--json')).stdout) as Record<string, unknown>
    assert.deepEqual(Object.keys(seen), ['network', 'circuits', 'relays', 'exits', 'traffic'])
    assert.deepEqual([seen['circuits'], seen['relays'], seen['exits']], [[], [], []])
    for (const words of ['stats ipv8', 'debug slots', 'stats communities']) {
      assert.equal((await tributary(node, ...words.split(' '), '--json')).code, 0, words)
    }
    const { ipv8_statistics: overlays } = await node.get<{ ipv8_statistics: object }>('/statistics/ipv8')
    assert.deepEqual(overlays, { total_up: 0, total_down: 0, session_uptime: 0 })
    assert.equal(await sockets(), before, 'no socket was opened by looking')
  })

  test('watch goes on until it is interrupted, and tells what changes only', async () => {
    const args = [cliPath, 'circuits', '--watch', '--json']
    const child = spawn(process.execPath, args, {
      env: { ...process.env, TRIBUTARY_STATE_DIR: node.stateDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let told = ''
    child.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()))
    await waitFor('a line', () => told.includes('\n'), 20_000)
    child.kill('SIGINT')
    await once(child, 'exit')
    assert.equal(told.split('\n').length, 2, told)
  })

  test('hops that settings forbid are refused, with the setting; what is there stays as it was', async () => {
    const refused = await tributary(forbidding, 'hops', 'Quiet', '2')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /circuits/)
    assert.match(
      (await tributary(forbidding, 'circuits')).stdout,
      /off by the setting tunnel_community\.enabled.* Switch it on/,
    )
    const { download } = await forbidding.get<{ download: { hops: number } }>(`/downloads/${HASH}`)
    assert.equal(download.hops, 0)
    assert.equal((await tributary(forbidding, 'add', `magnet:?xt=urn:btih:${'ef'.repeat(20)}`, '--hops', '1')).code, 1)
    for (const wrong of ['4', '-1', 'two']) {
      const { code, stderr } = await tributary(forbidding, 'hops', 'Quiet', '--', wrong)
      assert.equal(code, 1, wrong)
      assert.match(stderr, /number from 0 to 3/)
    }
    assert.equal((await tributary(forbidding, 'hops', 'Quiet', '0')).code, 0)
  })

  test('a port that is taken costs no circuits: another free one is used, and the log says so once (B20)', async () => {
    const taken = createSocket('udp4').bind(0, '127.0.0.1').unref()
    await once(taken, 'listening')
    const { port } = taken.address()
    const settings = { 'ipv8.address': '127.0.0.1', 'ipv8.port': port, 'ipv8.bootstrap_override': ':' }
    const second = await startNode({ settings })
    try {
      const uri = `magnet:?xt=urn:btih:${HASH}`
      assert.equal((await second.request('PUT', '/downloads', { uri, anon_hops: 1, safe_seeding: true })).status, 200)
      type Reply = { network: { running: boolean; lan_address: string } }
      const { network } = await second.until<Reply>('/debug/circuits/network', reply => reply.network.running)
      assert.match(network.lan_address, /^127\.0\.0\.1:\d+$/)
      assert.notEqual(network.lan_address, `127.0.0.1:${port}`)
      const { content } = await second.get<{ content: string }>('/debug/log?max_lines=1000')
      assert.equal(content.split('the UDP port of the overlay cannot be had').length, 2, content)
    } finally {
      await second.stop()
      taken.close()
    }
  })

  test('an overlay that cannot be started is shown as the reason, and the download waits instead of going in the open', async () => {
    const blocked = await startNode({ settings: { [OVERLAY_PORT]: 0, 'ipv8.bootstrap_override': ':' } })
    try {
      await writeFile(path.join(blocked.stateDir, 'overlay-key'), 'no key\n')
      const uri = `magnet:?xt=urn:btih:${HASH}`
      assert.equal((await blocked.request('PUT', '/downloads', { uri, anon_hops: 1, safe_seeding: true })).status, 200)
      await waitFor('the reason', async () => {
        const { network } = await blocked.get<{ network: { reason: string } }>('/debug/circuits/network')
        return /could not be started/.test(network.reason)
      })
      const { download } = await blocked.get<{ download: { status: string; circuits: { last_failure: string } } }>(
        `/downloads/${HASH}`,
      )
      assert.equal(download.status, 'DLSTATUS_CIRCUITS')
      assert.match(download.circuits.last_failure, /is no key/)
    } finally {
      await blocked.stop()
    }
  })

  test('a key that may only read sees statistics, and no circuits', async () => {
    const added = await tributary(node, 'keys', 'add', 'looker', 'read', '--json')
    const { key } = JSON.parse(added.stdout) as { key: string }
    const status = async (path: string): Promise<number> =>
      (await fetch(`${node.baseUrl}${path}`, { headers: { 'x-api-key': key } })).status
    assert.equal(await status('/statistics/ipv8'), 200)
    assert.equal(await status('/statistics/communities'), 200)
    for (const path of ['', '/slots', '/relays', '/exits', '/traffic', '/network'])
      assert.equal(await status(`/debug/circuits${path}`), 403, path)
  })
})
