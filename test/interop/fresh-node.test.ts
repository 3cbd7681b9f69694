// Privacy: whom a fresh node with the settings of a user contacts, by the kernel's own count, and what it keeps, is
// what src/docs/privacy.md says. WATCH_MINUTES watches longer than a moment (`make privacy`).

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTestFolder, type TestFolder } from '../kit/content/content-on-disk.ts'
import { startNode, type StartNodeOptions } from '../kit/nodes/node-process.ts'
import { ROUTERS, TOLD, type WatchedHost, watchThisHost } from '../kit/nodes/watched-host.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const MINUTES = Number(process.env['WATCH_MINUTES'] ?? 0)
/** After everything that is expected was seen. */
const FURTHER_MS = MINUTES * 60_000 || 1000
const ALL_OFF = { 'libtorrent.dht': false, 'libtorrent.natpmp': false, 'libtorrent.upnp': false }
const skip = needs('netns', 'root', 'ip', 'nft', 'unshare')

/** What stands in backticks in the first column of a table between two marks. */
function firstColumn(page: string, mark: string): string[] {
  const [, table = ''] = new RegExp(`<!-- ${mark}:[^\n]*\n([\\s\\S]*?)<!-- /${mark} -->`).exec(page) ?? []
  const cells = [...table.matchAll(/^\| ([^|]*) \|/gm)].map(([, cell = '']) => cell)
  return cells.flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

describe('a fresh node', { skip, concurrency: 1, timeout: FURTHER_MS * 2 + 240_000 }, () => {
  let folder: TestFolder
  let host: WatchedHost
  let page = ''
  before(async () => {
    folder = await makeTestFolder()
    host = await watchThisHost(folder.path)
    page = await readFile(join(projectRoot, 'src/docs/privacy.md'), 'utf8')
  })
  after(async () => {
    host?.stop()
    await folder?.remove()
  })

  /** Where it sent to, as the page writes it. */
  const contacted = (): string[] => {
    const all = host.contacts().map(({ host: name, protocol, port }) => {
      if (TOLD.includes(name)) return 'nodes of the DHT'
      return `${ROUTERS.includes(name) ? 'your router' : name}:${port}/${protocol}`
    })
    return [...new Set(all)].toSorted()
  }
  const pass = (ms: number): Promise<unknown> => {
    const end = performance.now() + ms
    return waitFor('the time that is watched', () => performance.now() > end, ms + 60_000)
  }
  const withNode = async (options: StartNodeOptions, use: (stateDir: string) => Promise<void>): Promise<void> => {
    const node = await startNode({ asUsers: true, prefix: host.prefix, ...options })
    try {
      await use(node.stateDir)
    } finally {
      await node.stop()
    }
  }

  test('sends to whom the page says, and to nobody else; its files are those of the page', async () => {
    const documented = firstColumn(page, 'contacts')
    assert.ok(documented.length > 3, documented.join())
    // UPnP is tried when PCP and NAT-PMP were not answered: that takes longer than a moment.
    const expected = documented.filter(each => MINUTES > 1 || !each.includes(':1900/'))
    await withNode({}, async stateDir => {
      const isComplete = () => expected.every(each => contacted().includes(each))
      await waitFor('all that the page says', isComplete, 60_000, () => ({ expected, contacted: contacted() }))
      await pass(FURTHER_MS)
      for (const each of contacted()) assert.ok(documented.includes(each), `${each} is not in src/docs/privacy.md`)
      const names = documented.flatMap(each => /^([a-z.]+\.[a-z]+):/.exec(each)?.[1] ?? [])
      assert.deepEqual(host.names().toSorted(), names.toSorted())
      const kept = firstColumn(page, 'kept')
      for (const name of await readdir(stateDir))
        assert.ok(kept.includes(name), `${name} is not in src/docs/privacy.md`)
    })
  })

  test('sends nothing where the DHT and the router are switched off', async () => {
    host.forget()
    await withNode({ settings: ALL_OFF }, async () => {
      await pass(Math.min(FURTHER_MS, 120_000))
    })
    assert.deepEqual(contacted(), [])
    assert.deepEqual(host.names(), [])
  })
})
