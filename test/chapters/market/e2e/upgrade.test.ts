// State directories that released versions have left by real use (test/vectors/upgrades) go on with this one: nothing
// is checked again, downloads end with the right bytes, keys, links, wallets, channel, order, settings and the watched
// folder are those from before; killed at any moment the next start goes on. `make upgrade-test` does that with each
// package, and 100 kills: TRIBUTARY_COMMAND is the command, UPGRADE_KILLS how often.

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { makeTestFolder, type TestFolder } from '../../../kit/content/content-on-disk.ts'
import { cliPath, type NodeProcess, startNode, type StartNodeOptions } from '../../../kit/nodes/node-process.ts'
import { projectRoot } from '../../../kit/project-root.ts'
import { needs } from '../../../kit/requirements.ts'
import * as old from '../kit/old-state.ts'

const RELEASES = path.join(projectRoot, 'test/vectors/upgrades')
const COMMAND = process.env['TRIBUTARY_COMMAND'] ?? ''
const KILLS = Number(process.env['UPGRADE_KILLS'] ?? 2)
/** A node that is not killed has done all that a start does by then, on a busy machine too. */
const LONGEST_LIFE_MS = 1500

/** Nothing is looked for. */
const ALONE = ['utp', 'dht', 'pex', 'lsd', 'upnp', 'natpmp'].flatMap(each => ['--set', `libtorrent.${each}=false`])

interface Listed {
  readonly infohash: string
  readonly progress: number
  readonly status: string
}

/** A copy of a state directory; files of downloads have their lengths and times, and hold nothing. */
async function unpack(archive: string, into: string): Promise<void> {
  await mkdir(into, { recursive: true })
  execFileSync('tar', ['-C', into, '--no-same-owner', '-xzf', archive])
  execFileSync('cp', ['-a', path.join(into, 'downloads'), path.join(into, 'times')])
}

/** Puts the halves of the first `count` downloads into their files, whose times stay, to the nanosecond. */
async function fill(folder: string, count: number = old.DOWNLOADS): Promise<void> {
  const downloads = path.join(folder, 'downloads')
  for (let number = 0; number < count; number++) {
    const { files, content } = old.oldTorrent(number)
    const file = await open(path.join(downloads, files[0]?.path ?? ''), 'r+')
    await file.write(content.subarray(0, old.HALF_BYTES))
    await file.close()
  }
  execFileSync('cp', ['-a', '--attributes-only', `${path.join(folder, 'times')}/.`, downloads])
}

function startOn(folder: string, more: StartNodeOptions = {}): Promise<NodeProcess> {
  const { stateDir, prefix } = old.mountedNode(folder, COMMAND)
  const key = path.join(folder, 'first-key')
  return startNode({ stateDir, prefix, ...more, args: ['--api-key-file', key, ...(more.args ?? [])] })
}

for (const name of readdirSync(RELEASES).toSorted()) {
  const version = name.replace(/\.tar\.gz$/, '')
  describe(`what ${version} left`, { skip: needs('mounts', 'root'), concurrency: 1, timeout: 900_000 }, () => {
    let folder: TestFolder
    let facts: old.OldFacts
    let node: NodeProcess | undefined
    const fresh = async (copy: string): Promise<string> => {
      const into = path.join(folder.path, copy)
      await unpack(path.join(RELEASES, name), into)
      await writeFile(path.join(into, 'first-key'), `${facts.keys.first}\n`, { mode: 0o600 })
      return into
    }
    before(async () => {
      folder = await makeTestFolder()
      const text = execFileSync('tar', ['-xOzf', path.join(RELEASES, name), './facts.json'], { encoding: 'utf8' })
      facts = JSON.parse(text) as old.OldFacts
      assert.equal(facts.version, version)
    })
    after(async () => {
      await node?.stop()
      await folder.remove()
    })

    async function goesOn(running: NodeProcess): Promise<void> {
      const settled = ({ downloads }: { downloads: Listed[] }): boolean =>
        downloads.every(({ status }) => !/ALLOCATING|CHECK|WAITING/.test(status))
      const { downloads } = await running.until('/downloads', settled, 30_000)
      const halves = downloads.filter(({ progress }) => progress === 0.5)
      assert.equal(halves.length, old.DOWNLOADS, JSON.stringify(downloads.map(each => [each.progress, each.status])))
      const watched = old.watchedTorrent().infoHash
      assert.equal(downloads.filter(({ infohash }) => infohash === watched).length, 1, 'the watched file, started once')
      assert.equal(downloads.length, old.DOWNLOADS + 1)
      await keysAndLinksOpen(running)
      const { settings } = await running.get<{ settings: Record<string, Record<string, unknown>> }>('/settings')
      assert.equal(settings['libtorrent']?.['max_upload_rate'], old.UPLOAD_LIMIT)
      assert.equal(settings['watch_folder']?.['enabled'], true)
      await moneyIsThere(running)
      if (existsSync(path.join(projectRoot, 'src/chapters/channels'))) await channelIsThere(running)
    }

    async function keysAndLinksOpen(running: NodeProcess): Promise<void> {
      const as = (key: string): Promise<Response> =>
        fetch(`${running.baseUrl}/downloads`, { headers: { 'x-api-key': key } })
      assert.equal((await as(facts.keys.reader)).status, 200)
      assert.equal((await as('another')).status, 401)
      const answer = await fetch(`${running.baseUrl}${facts.link}`, { headers: { range: 'bytes=0-999' } })
      assert.equal(answer.status, 206)
      const bytes = Buffer.from(await answer.arrayBuffer())
      assert.deepEqual(bytes, Buffer.from(old.oldTorrent(0).content.subarray(0, 1000)))
    }

    async function moneyIsThere(running: NodeProcess): Promise<void> {
      const { wallets } = await running.get<{ wallets: { identifier: string; created: boolean; address: string }[] }>(
        '/wallets',
      )
      for (const [coin, address] of Object.entries(facts.addresses))
        assert.equal(wallets.find(({ identifier }) => identifier === coin)?.address, address)
      const { orders } = await running.get<{ orders: Record<string, unknown>[] }>('/market/orders')
      assert.deepEqual(
        orders.map(({ order_number: number, quantity_exact: quantity, price_exact: price }) => [
          number,
          quantity,
          price,
        ]),
        [[facts.order.number, old.ORDER.quantity_exact, old.ORDER.price_exact]],
      )
    }

    async function channelIsThere(running: NodeProcess): Promise<void> {
      const where = `/channels/discovered/${facts.channel}`
      const { torrents } = await running.get<{ torrents: { infohash: string }[] }>(`${where}/torrents`)
      assert.deepEqual(
        torrents.map(({ infohash }) => infohash),
        [old.publishedTorrent().infoHash],
      )
      const further = { torrent: Buffer.from(old.oldTorrent(1).torrent).toString('base64') }
      const added = await running.request('PUT', `${where}/torrents`, further)
      assert.ok([200, 409].includes(added.status), added.body.toString())
    }

    test('goes on with this version, nothing is checked again', { timeout: 120_000 }, async () => {
      const copy = await fresh('whole')
      // Whoever checked the others would find nothing in them.
      await fill(copy, 1)
      node = await startOn(copy)
      await goesOn(node)
      assert.doesNotMatch(node.logs().stdout, /"level":"error"/)
      await fill(copy)
    })

    test('its downloads end with the right bytes', { timeout: 120_000 }, async () => {
      assert.ok(node)
      const seeds = await folder.sub('seeds')
      const seeder = await startNode()
      try {
        await seedAll(seeder, seeds)
        const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
        const peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
        for (let number = 0; number < old.DOWNLOADS; number++) {
          const uri = `magnet:?xt=urn:btih:${old.oldTorrent(number).infoHash}&x.pe=${peer}`
          await node.request('PUT', '/downloads', { uri })
        }
        const whole = ({ downloads }: { downloads: Listed[] }): boolean =>
          downloads.filter(({ progress }) => progress === 1).length === old.DOWNLOADS
        await node.until('/downloads', whole, 60_000)
      } finally {
        await seeder.stop()
      }
      assert.equal((await node.stop()).code, 0)
      for (let number = 0; number < old.DOWNLOADS; number++) {
        const { files, content } = old.oldTorrent(number)
        const got = await readFile(path.join(folder.path, 'whole/downloads', files[0]?.path ?? ''))
        assert.ok(got.equals(content), files[0]?.path)
      }
    })

    async function seedAll(seeder: NodeProcess, place: string): Promise<void> {
      for (let number = 0; number < old.DOWNLOADS; number++) {
        const { files, content, torrent } = old.oldTorrent(number)
        await writeFile(path.join(place, files[0]?.path ?? ''), content)
        const at = path.join(place, `${number}.torrent`)
        await writeFile(at, torrent)
        assert.equal((await seeder.request('PUT', '/downloads', { uri: `file:${at}`, destination: place })).status, 200)
      }
    }

    test('once a newer version has changed it, this one says so and how to go back', { timeout: 60_000 }, async () => {
      const copy = await fresh('newer')
      const store = path.join(copy, 'state/tributary.db')
      await cp(store, `${store}.schema-1`)
      const database = new Database(store)
      database.pragma('user_version = 99')
      database.close()
      const refused = await startOn(copy).then(
        async running => (await running.stop(), ''),
        (error: unknown) => String(error),
      )
      assert.match(
        refused,
        /has schema 99, written by a newer version; .* or go back: move .* put \/mnt\/state\/tributary\.db\.schema-1, /,
      )
    })

    async function startAndKill(copy: string, lifeMs: number): Promise<void> {
      const { stateDir, prefix } = old.mountedNode(copy, COMMAND)
      const [program = '', ...before] = prefix
      const args = ['start', '--state-dir', stateDir, '--port', '0', '--set', 'libtorrent.port=0', ...ALONE]
      const child = spawn(program, [...before, process.execPath, cliPath, ...args], { stdio: 'ignore' })
      const timer = setTimeout(() => child.kill('SIGKILL'), lifeMs)
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
      clearTimeout(timer)
      assert.equal(signal, 'SIGKILL', `it ended by itself: ${code}`)
    }

    test(`bears ${KILLS} kills while it starts`, { timeout: 800_000 }, async () => {
      const copy = path.join(folder.path, 'killed')
      for (let kill = 0; kill < KILLS; kill++) {
        // Begun afresh each fourth time: the first start on it is the one that changes most.
        if (kill % 4 === 0) {
          await rm(copy, { recursive: true, force: true })
          await fill(await fresh('killed'))
        }
        await startAndKill(copy, (LONGEST_LIFE_MS * (kill + 1)) / KILLS)
      }
      const last = await startOn(copy)
      try {
        await goesOn(last)
      } finally {
        await last.stop()
      }
    })
  })
}
