// Circuits that are really built, through nodes of this machine: what the node whose they are shows of them, what those
// they pass through show, the dashboard meanwhile, and the reason when they are gone.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type {
  CircuitNetworkRecord,
  CircuitRecord,
  JoinedCircuitRecord,
  SlotsRecord,
} from '../../../../src/chapters/circuits/service/circuits-api.ts'
import type { CommunityStatistics } from '../../../../src/services/diagnostics/statistics-api.ts'
import { axeFindings, CHROMIUM, startBrowser, watchedPage } from '../../../kit/nodes/browser.ts'
import { type NodeProcess, runCli, startNode } from '../../../kit/nodes/node-process.ts'
import { type OverlayNodes, startOverlayNodes } from '../../../kit/nodes/overlay-nodes.ts'
import { needs } from '../../../kit/requirements.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const HASH = '5a'.repeat(20)
const LIMIT_MS = 60_000
const noBrowser = needs(CHROMIUM)

interface Row {
  readonly status: string
  readonly hops: number
  readonly circuits?: { readonly candidates: number; readonly exits: number; readonly ready: number }
}

describe('circuits, built', { concurrency: 1, timeout: 240_000 }, () => {
  let network: OverlayNodes
  let client: NodeProcess

  const circuits = async (): Promise<CircuitRecord[]> =>
    (await client.get<{ circuits: CircuitRecord[] }>('/debug/circuits')).circuits
  const record = async (): Promise<Row> => (await client.get<{ download: Row }>(`/downloads/${HASH}`)).download
  const ready = async (hops: number): Promise<CircuitRecord[]> => {
    let found: CircuitRecord[] = []
    await waitFor(
      `a circuit of ${hops} hops is ready`,
      async () => {
        found = (await circuits()).filter(({ state, goal_hops: goal }) => state === 'READY' && goal === hops)
        return found.length > 0
      },
      LIMIT_MS,
    )
    return found
  }

  before(async () => {
    network = await startOverlayNodes({ community: 'c1'.repeat(20), relays: 2, exits: 2 })
    client = await startNode({ settings: network.settings() })
    const uri = `magnet:?xt=urn:btih:${HASH}&dn=Quiet`
    const added = await client.request('PUT', '/downloads', { uri, anon_hops: 2, safe_seeding: true })
    assert.equal(added.status, 200)
  })
  after(async () => {
    await client?.stop()
    await network?.stop()
  })

  test('the circuits of a download: hops, times and addresses, in every place that shows them', async () => {
    const [circuit] = await ready(2)
    assert.equal(circuit?.hops.length, 2)
    assert.match(circuit.hops[0]?.host ?? '', /^127\.0\.0\.1:\d+$/)
    // Where the second one is nobody tells: it is known only of those that this node has met itself.
    assert.match(circuit.hops[1]?.host ?? '', /^(unknown|127\.0\.0\.1:\d+)$/)
    for (const { member } of circuit.hops) assert.match(member, /^[0-9a-f]{40}$/)
    assert.ok(Math.abs(circuit.created - Date.now() / 1000) < 120)
    await waitFor(
      'everybody is known',
      async () => {
        const { network: seen } = await client.get<{ network: CircuitNetworkRecord }>('/debug/circuits/network')
        return seen.relays === 4 && seen.exits === 2
      },
      LIMIT_MS,
    )
    await waitFor('pings were answered', async () => (await circuits()).some(({ rtt }) => rtt !== null), LIMIT_MS)
    await waitFor('the record says so', async () => ((await record()).circuits?.ready ?? 0) > 0, LIMIT_MS)
    assert.equal((await record()).hops, 2)
    const { stdout } = await runCli(['circuits'], { TRIBUTARY_STATE_DIR: client.stateDir })
    assert.match(stdout, /4 relays known, exits among them: 2/)
    assert.match(stdout, /^ready +2\/2 +data .*127\.0\.0\.1:\d+ > ([0-9a-f]{8}|127\.0\.0\.1:\d+)/m)
    const list = await runCli(['ls'], { TRIBUTARY_STATE_DIR: client.stateDir })
    assert.match(list.stdout, /, 2 hops +Quiet/)
    const events = await runCli(['events', '--since', '0', '--type', 'circuit_ready', '--count', '1'], {
      TRIBUTARY_STATE_DIR: client.stateDir,
    })
    assert.match(events.stdout, /circuit_ready .*goal_hops=2/)
  })

  test('statistics and metrics count the overlays', async () => {
    const read = async (): Promise<CommunityStatistics[]> => {
      const { dispersy_community_statistics: all } = await client.get<{
        dispersy_community_statistics: CommunityStatistics[]
      }>('/statistics/communities')
      return all.filter(({ classification }) => classification !== 'MainlineDHT')
    }
    const tunnel = (await read()).find(({ identifier }) => identifier === 'c1'.repeat(20))
    assert.equal(tunnel?.classification, 'TunnelCommunity')
    assert.equal(tunnel.candidates, 4)
    assert.match(tunnel.member, /^[0-9a-f]{40}$/)
    const { ipv8_statistics: before } = await client.get<{ ipv8_statistics: Record<string, number> }>(
      '/statistics/ipv8',
    )
    assert.ok((before['total_up'] ?? 0) > 0 && (before['session_uptime'] ?? 0) > 0)
    await waitFor(
      'they go on counting',
      async () => {
        const { ipv8_statistics: now } = await client.get<{ ipv8_statistics: Record<string, number> }>(
          '/statistics/ipv8',
        )
        return (now['total_down'] ?? 0) > (before['total_down'] ?? 0)
      },
      LIMIT_MS,
    )
    const { stdout: figures } = await runCli(['metrics'], { TRIBUTARY_STATE_DIR: client.stateDir })
    assert.match(figures, /^tributary_circuits\{state="ready"\} [1-9]/m)
    assert.match(figures, /^tributary_circuit_candidates\{kind="exit"\} 2$/m)
    assert.match(figures, /^tributary_overlay_packets_total\{overlay="TunnelCommunity",packets="sent"\} [1-9]/m)
  })

  test('those it passes through show it as that of others, with a place taken and bytes passed on', async () => {
    const all = await Promise.all(
      network.nodes.map(async node => ({
        relays: (await node.get<{ relays: JoinedCircuitRecord[] }>('/debug/circuits/relays')).relays,
        exits: (await node.get<{ exits: JoinedCircuitRecord[] }>('/debug/circuits/exits')).exits,
        slots: (await node.get<{ slots: SlotsRecord[] }>('/debug/circuits/slots')).slots,
        own: (await node.get<{ circuits: CircuitRecord[] }>('/debug/circuits')).circuits,
        relayed: (await node.get<{ traffic: { relayed: number } }>('/debug/circuits/traffic')).traffic.relayed,
      })),
    )
    assert.ok(
      all.every(({ own }) => own.length === 0),
      'they have none of their own',
    )
    assert.ok(all.every(({ slots }) => slots.length === 15))
    const relay = all.find(({ relays }) => relays.length > 0)
    assert.equal(relay?.slots[0]?.random, relay?.relays[0]?.id)
    assert.ok((relay?.relayed ?? 0) > 0)
    assert.ok(
      all.some(({ exits }) => exits.some(({ to }) => to === '')),
      'one is an exit',
    )
  })

  test('the dashboard: the path, the hops in the list; another number of hops builds other circuits', {
    skip: noBrowser,
  }, async () => {
    const browser = await startBrowser()
    try {
      const watched = await watchedPage(browser, client.baseUrl)
      const { page } = watched
      page.setDefaultTimeout(LIMIT_MS)
      await page.addInitScript(`localStorage.setItem('tributary.key', '${client.key}')`)
      await page.goto(`${client.baseUrl}/#/circuits`)
      const drawn = page.locator('.circuit:has(.state.done)').first()
      await drawn.waitFor()
      assert.match(
        (await drawn.locator('.path').innerText()).replace(/\s+/g, ' '),
        /^This node Relay 127.* Exit .* Internet$/,
      )
      assert.deepEqual(await axeFindings(page), [])
      await page.goto(`${client.baseUrl}/#/downloads/${HASH}/options`)
      await page.locator(`#row-${HASH} .hops`).getByText('Over 2 hops').waitFor({ state: 'attached' })
      const form = page.getByRole('form', { name: 'Anonymity' })
      await form.getByLabel('Anonymity').selectOption({ label: '1 hop' })
      await form.getByRole('button', { name: 'Change' }).click()
      await page.locator(`#row-${HASH} .hops`).getByText('Over 1 hop', { exact: true }).waitFor({ state: 'attached' })
      assert.equal((await record()).hops, 1)
      assert.deepEqual((await ready(1))[0]?.hops.length, 1)
      await page.getByRole('link', { name: 'Overview' }).click()
      await page.getByText(/^\d circuits? ready/).waitFor()
      await page.goto(`${client.baseUrl}/#/events`)
      const told = page.getByRole('listitem').filter({ hasText: 'Circuit ready' }).first()
      await told.getByText('Downloads and trackers · over').waitFor()
      watched.check()
      await page.context().close()
    } finally {
      await browser.close()
    }
  })

  test('when all others go, circuits go with a reason, and it is said why there are none', async () => {
    await Promise.all(network.nodes.map(node => node.kill('SIGKILL')))
    const args = ['events', '--since', '0', '--type', 'circuit_removed', '--count', '1']
    await waitFor(
      'no circuit is ready',
      async () => (await circuits()).every(({ state }) => state !== 'READY'),
      120_000,
    )
    const { stdout } = await runCli(args, { TRIBUTARY_STATE_DIR: client.stateDir })
    assert.match(stdout, /circuit_removed .*reason="[^"]{5,}"/)
    const { network: seen } = await client.get<{ network: { reason: string } }>('/debug/circuits/network')
    assert.notEqual(seen.reason, '')
    const { status } = await record()
    assert.equal(status, 'DLSTATUS_CIRCUITS')
  })
})
