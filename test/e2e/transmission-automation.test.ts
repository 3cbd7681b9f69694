// Sonarr's and Radarr's Transmission clients over one whole life of a download each: connect, add, list, finished,
// seeded enough, imported, removed with its data. The files and commits that the requests are from are in
// test/e2e/arr-client.ts.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ArrClient, type ArrTorrent, Double, newtonsoft } from './arr-client.ts'
import { downloadComplete } from '../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024

describe('automation through the door', { concurrency: 1 }, () => {
  let folder = ''
  let seeder: NodeProcess
  let node: NodeProcess
  let peer = ''

  /** A release that the seeder has. */
  const release = async (name: string): Promise<MadeTorrent> => {
    const content = [{ path: `${name}.mkv`, length: 2 * MIB }]
    const made = makeTorrent({ name, files: [...content, { path: `${name}.nfo`, length: 1000 }], seed: name.length })
    await mkdir(path.join(folder, 'seeds', name), { recursive: true })
    for (const file of made.files) await writeFile(path.join(folder, 'seeds', name, file.path), file.content)
    const uri = path.join(folder, `${name}.torrent`)
    await writeFile(uri, made.torrent)
    await seeder.request('PUT', '/downloads', { uri, destination: path.join(folder, 'seeds') })
    await downloadComplete(seeder, made.infoHash)
    return made
  }
  const clientOf = (program: 'Sonarr' | 'Radarr', password = node.key): ArrClient => {
    const names = { Sonarr: ['tv-sonarr', 'tv-done'], Radarr: ['radarr', 'films-done'] } as const
    const [category, importedCategory] = names[program]
    const place = { host: '127.0.0.1', port: node.port, username: 'sonarr', password }
    return new ArrClient({ program, ...place, category, importedCategory })
  }
  /** The only torrent, once it is so. */
  const until = async (client: ArrClient, done: (torrent: ArrTorrent) => boolean): Promise<ArrTorrent> => {
    let last: ArrTorrent | undefined
    const look = async (): Promise<boolean> => {
      ;[last] = await client.torrents()
      return last !== undefined && done(last)
    }
    await waitFor('the torrent is so', look, 60_000, () => JSON.stringify(last))
    return last as ArrTorrent
  }

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-arr-'))
    seeder = await startNode()
    node = await startNode({ settings: { 'download_defaults.saveas': path.join(folder, 'to') } })
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
  })
  after(async () => {
    await node?.stop()
    await seeder?.stop()
    if (folder !== '') await rm(folder, { recursive: true, force: true })
  })

  test('bodies are written as their serializer writes them', () => {
    const body = newtonsoft({ method: 'torrent-set', arguments: { ids: ['A'], seedRatioLimit: new Double(1), x: 1 } })
    const lines = ['{', '  "method": "torrent-set",', '  "arguments": {', '    "ids": [', '      "A"', '    ],']
    assert.equal(body, [...lines, '    "seedRatioLimit": 1.0,', '    "x": 1', '  }', '}'].join('\n'))
  })

  test('the button "Test", and a wrong key', async () => {
    const client = clientOf('Sonarr')
    // Labels are used from 4.0 on; theirs is the first number outside of brackets.
    assert.match(await client.test(), /^4\.0\.0 \(/)
    assert.deepEqual(client.sent, ['GET', 'session-get', 'torrent-get'])
    await assert.rejects(clientOf('Sonarr', 'wrong').test(), /failed to authenticate: 401/)
  })

  test('Sonarr: a torrent file, a ratio, import, removal with data', { timeout: 120_000 }, async () => {
    const made = await release('Show.S01E01')
    const client = clientOf('Sonarr')
    await client.addFile(made.torrent)
    await client.setSeeding(made.infoHash, 0, null)
    await client.moveToTop(made.infoHash)
    const [fresh] = await client.torrents()
    assert.ok(fresh !== undefined && client.stateOf(fresh) === 'Downloading', JSON.stringify(fresh))
    assert.equal(fresh.downloadDir, await client.outputFolder())
    assert.deepEqual([fresh.seedRatioMode, fresh.seedRatioLimit, fresh.labels], [1, 0, ['tv-sonarr']])
    assert.equal(await client.mayRemove(fresh), false)
    await node.request('PUT', '/downloads', { uri: `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}` })
    const done = await until(client, torrent => client.stateOf(torrent) === 'Completed')
    assert.equal(done.totalSize, made.content.length)
    // Where they look for it: the folder, and the name in it.
    assert.ok(existsSync(path.join(done.downloadDir, done.name, 'Show.S01E01.mkv')))
    const seeded = await until(client, torrent => torrent.isFinished)
    assert.equal(await client.mayRemove(seeded), true)
    await client.markImported(made.infoHash)
    assert.deepEqual(await client.torrents(), [], 'it has another label now')
    await client.remove(made.infoHash, true)
    assert.ok(!existsSync(path.join(done.downloadDir, done.name)))
    assert.deepEqual((await node.get<{ downloads: unknown[] }>('/downloads')).downloads, [])
  })

  test('Radarr: a magnet, a seeding time, removal', { timeout: 120_000 }, async () => {
    const made = await release('Film.2020')
    const client = clientOf('Radarr')
    await client.addMagnet(`magnet:?xt=urn:btih:${made.infoHash}&dn=Film.2020&x.pe=${peer}`)
    await client.setSeeding(made.infoHash, null, 0)
    const done = await until(client, torrent => client.stateOf(torrent) === 'Completed')
    assert.deepEqual([done.seedIdleMode, done.seedIdleLimit, done.name], [1, 0, 'Film.2020'])
    const seeded = await until(client, torrent => torrent.status === 0)
    assert.equal(await client.mayRemove(seeded), true)
    await client.remove(made.infoHash, true)
    assert.deepEqual(await client.torrents(), [])
  })

  test('a node that was restarted gives a new session id, and they take it', { timeout: 60_000 }, async () => {
    const stateDir = path.join(folder, 'state')
    const first = await startNode({ stateDir })
    const place = { host: '127.0.0.1', username: '', category: 'tv-sonarr', importedCategory: '' }
    const client = new ArrClient({ program: 'Sonarr', ...place, port: first.port, password: first.key })
    await client.test()
    await first.stop()
    const second = await startNode({ stateDir })
    client.port = second.port
    try {
      await client.test()
      assert.deepEqual(client.sent.slice(3), ['session-get', 'GET', 'session-get', 'torrent-get'])
    } finally {
      await second.stop()
    }
  })
})
