// Debian's Prometheus: promtool finds no fault in /metrics and in the example scrape file, and the server scrapes with
// that file and a key that may only read.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import { makeTestFolder } from '../kit/content/content-on-disk.ts'
import { startDaemon } from '../kit/nodes/daemon-process.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const skip = needs('prometheus', 'promtool')

interface Target {
  readonly scrapePool: string
  readonly health: string
  readonly lastError: string
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>(resolve => server.close(() => resolve()))
  return port
}

/** The example of src/docs for a node of this test, scraped each second, and once more with another key. */
async function scrapeFile(port: number, credentials: string, wrong: string): Promise<string> {
  const example = await readFile(path.join(projectRoot, 'src/docs/examples/prometheus.yml'), 'utf8')
  const here = example
    .replace('127.0.0.1:52194', `127.0.0.1:${port}`)
    .replace('/etc/prometheus/tributary.key', credentials)
    .replace('scrape_interval: 15s', 'scrape_interval: 1s')
  const job = here.slice(here.indexOf('  - job_name:'))
  return `${here}${job.replace('tributary', 'stranger').replace(credentials, wrong)}`
}

test('Prometheus takes the figures, and only with the key', { skip, timeout: 120_000 }, async () => {
  const folder = await makeTestFolder()
  // All that the node has: with its DHT and uTP.
  const node = await startNode({ settings: { 'libtorrent.dht': true, 'libtorrent.utp': true } })
  const port = await freePort()
  const place = (name: string): string => path.join(folder.path, name)
  const key = await node.request('PUT', '/keys', { name: 'prometheus', scopes: ['read'] })
  await writeFile(place('key'), key.json<{ key: string }>().key)
  await writeFile(place('wrong'), 'a wrong key')
  await writeFile(place('prometheus.yml'), await scrapeFile(node.port, place('key'), place('wrong')))
  const checked = spawnSync('promtool', ['check', 'config', place('prometheus.yml')], { encoding: 'utf8' })
  assert.match(checked.stdout, /SUCCESS/, checked.stderr)
  const daemon = startDaemon('prometheus', [
    `--config.file=${place('prometheus.yml')}`,
    `--storage.tsdb.path=${place('data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ])
  const ask = async (query: string): Promise<unknown> => {
    daemon.assertRunning()
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/${query}`).catch(() => null)
    return reply?.ok === true ? ((await reply.json()) as { data: unknown }).data : null
  }
  const valueOf = async (expression: string): Promise<string | undefined> => {
    const data = (await ask(`query?query=${encodeURIComponent(expression)}`)) as {
      result: { value: [number, string] }[]
    } | null
    return data?.result[0]?.value[1]
  }
  try {
    await node.request('GET', '/downloads')
    const text = (await node.request('GET', '/metrics')).body
    const linted = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    assert.equal(`${linted.stdout}${linted.stderr}`, '')
    assert.equal(linted.status, 0)
    await waitFor(
      'two scrapes',
      async () => Number(await valueOf('count_over_time(up{job="tributary"}[1m])')) >= 2,
      60_000,
    )
    assert.equal(await valueOf('up{job="tributary"}'), '1')
    assert.equal(await valueOf('tributary_pieces_total{verdict="verified"}'), '0')
    const slowest =
      'histogram_quantile(1, rate(tributary_http_request_duration_seconds_bucket{route="metrics.read"}[1m]))'
    await waitFor('a quantile of the histogram', async () => Number(await valueOf(slowest)) > 0, 60_000)
    const { activeTargets } = (await ask('targets')) as { activeTargets: Target[] }
    const stranger = activeTargets.find(target => target.scrapePool === 'stranger')
    assert.equal(stranger?.health, 'down')
    assert.match(stranger.lastError, /401/)
  } finally {
    await daemon.stop()
    await node.stop()
    await folder.remove()
  }
})
