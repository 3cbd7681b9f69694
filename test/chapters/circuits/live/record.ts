// Records transcripts of live sessions with py-ipv8 into test/vectors/ipv8-live/circuits (or the folder that is given):
// IPV8_DIR is needed, see
// `make live-transcripts`. Keys, ephemeral keys and all chance are in them; nothing of it is used anywhere else.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InfoHash } from '../../../../src/base/ids.ts'
import { lookupInfoHash } from '../../../../src/chapters/circuits/wire/hidden-names.ts'
import { EXIT, RELAY } from '../kit/circuit-node.ts'
import { PY_EXIT, PY_RELAY, type PyNode, PyNodes } from '../../../kit/peers/ipv8-nodes.ts'
import { projectRoot } from '../../../kit/project-root.ts'
import { hexOf } from '../kit/session.ts'
import { startUdpEcho, type UdpEcho } from '../../../kit/peers/udp-echo.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { COMMUNITY } from './network.ts'
import { Recorder } from './recorder.ts'

/** What a story has. */
interface Stage {
  readonly us: Recorder
  readonly py: PyNodes
  readonly theirs: readonly PyNode[]
  readonly echo: UdpEcho
}

const INFO_HASH = '3926ad1bd351fa42395a2fd3880aa1c059216fec' as InfoHash
const LOOKUP = hexOf(lookupInfoHash(INFO_HASH))
const SENT = ['one', 'two'].map(word => hexOf(Buffer.from(`d${word.repeat(10)}e`)))
const folder = process.argv[2] ?? join(projectRoot, 'test/vectors/ipv8-live/circuits')
const RELAYS = [PY_RELAY, PY_RELAY, PY_RELAY, PY_RELAY]

async function record(
  name: string,
  flags: number,
  theirFlags: readonly (readonly number[])[],
  story: (stage: Stage) => Promise<void>,
): Promise<void> {
  const py = new PyNodes({ seed: name, community: COMMUNITY })
  const theirs = await py.start(theirFlags)
  const us = await Recorder.start(
    flags,
    theirs.map(({ port }) => port),
  )
  await py.greet([us.port])
  const echo = await startUdpEcho()
  await waitFor('everybody to know everybody', async () => {
    if (us.session.tunnels.candidates.counts.all < theirs.length) return false
    for (const { number } of theirs) if ((await py.candidates(number)).size < theirs.length) return false
    return true
  })
  await story({ us, py, theirs, echo })
  await us.stop()
  const { secrets } = await py.call('secrets')
  await py.stop()
  await echo.stop()
  const { entries, privateKey, port: ownPort, wallMs, random } = us
  const others = theirs.map(({ port, privateKey: key }) => ({ port, privateKey: key }))
  const transcript = {
    name,
    community: COMMUNITY,
    flags,
    ownPort,
    wallMs,
    privateKey,
    others,
    secrets,
    draws: random.draws,
    entries,
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${compact(transcript)}\n`)
  process.stdout.write(`${name}: ${entries.length} entries\n`)
}

/** A line for each entry. */
function compact({ entries, ...head }: { readonly entries: readonly unknown[] }): string {
  const lines = entries.map(entry => `  ${JSON.stringify(entry)}`).join(',\n')
  return `${JSON.stringify(head, null, 1).slice(0, -2)},\n "entries": [\n${lines}\n ]\n}`
}

async function sendAndHear({ us }: Stage, hops: number, to: string): Promise<void> {
  us.command('listen', hops)
  for (const bytes of SENT) us.command('send', hops, to, bytes)
  await waitFor('what was sent', () => SENT.every(bytes => us.session.received.includes(bytes)))
}

for (const hops of [1, 2, 3] as const) {
  await record(`originator-${hops}`, RELAY, [PY_RELAY, PY_RELAY, PY_RELAY, PY_EXIT], async stage => {
    stage.us.command('demand', hops, 1)
    await waitFor('a circuit', () => stage.us.session.lanes.lane(hops).facts().ready > 0)
    await sendAndHear(stage, hops, `127.0.0.1:${stage.echo.port}`)
  })
  await record(`exit-${hops}`, EXIT, [PY_RELAY, PY_RELAY, PY_RELAY], async ({ us, py, echo }) => {
    const { circuit } = await py.build(0, hops, { exit: us.publicKey })
    assert.ok(await py.echo(0, circuit, echo.port))
    await py.call('destroy', { node: 0, circuit })
  })
  await record(`hidden-seeder-${hops}`, RELAY, [...RELAYS, PY_EXIT], async ({ us, py }) => {
    us.command('echo', hops)
    us.command('seed', hops, INFO_HASH)
    const { own } = us.session.tunnels
    await waitFor('an introduction point', () =>
      [...own.all()].some(({ ready, purpose }) => ready && purpose === 'introduction-seeder'),
    )
    const { circuit } = await py.call('download', { node: 0, hops, lookup: LOOKUP })
    assert.ok(await py.hiddenEcho(0, Number(circuit)))
  })
  await record(`hidden-downloader-${hops}`, RELAY, [...RELAYS, PY_EXIT], async stage => {
    const { us, py } = stage
    await py.call('seed', { node: 0, hops, lookup: LOOKUP })
    us.command('seek', hops, INFO_HASH)
    const peer = await waitFor('a linked circuit', () => us.session.linked[0])
    await sendAndHear(stage, hops, `${peer.ip}:${peer.port}`)
  })
  await record(`points-${hops}`, RELAY, [...RELAYS, PY_EXIT], async ({ us, py }) => {
    const here = us.publicKey
    await py.call('seed', { node: 0, hops, lookup: LOOKUP, introduction: here, rendezvous: here })
    const { circuit } = await py.call('download', { node: 1, hops, lookup: LOOKUP })
    assert.ok(await py.hiddenEcho(1, Number(circuit)))
    assert.equal(us.session.hidden.figures.joined, 1)
  })
}

for (const [name, hops, weAreFirst] of [
  ['relay-first-of-2', 2, true],
  ['relay-first-of-3', 3, true],
  ['relay-second-of-3', 3, false],
] as const)
  await record(name, RELAY, [PY_RELAY, PY_RELAY, PY_EXIT], async ({ us, py, theirs, echo }) => {
    const first = weAreFirst ? us.port : (theirs[1]?.port ?? 0)
    const { circuit, hops: keys } = await py.build(0, hops, { exit: theirs[2]?.publicKey ?? '', first })
    assert.ok(keys.includes(us.publicKey))
    assert.ok(await py.echo(0, circuit, echo.port))
    await py.call('destroy', { node: 0, circuit })
  })

await record('lookup-at-exit', EXIT, [PY_RELAY, PY_RELAY, PY_RELAY], async ({ py, theirs }) => {
  await py.call('seed', { node: 0, hops: 1, lookup: LOOKUP, introduction: theirs[2]?.publicKey })
  const { circuit } = await py.call('download', { node: 1, hops: 1, lookup: LOOKUP })
  assert.ok(await py.hiddenEcho(1, Number(circuit)))
})
