// What the engine over circuits is made of: nothing in it can open a socket or look up a name. A plain packet of an
// anonymous download would need code that is not there.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SourceFile, sourceFiles } from '../../../arch/source-tree.ts'
import { dirname, join, normalize } from 'node:path'

const byPath = new Map(sourceFiles('src').map(file => [file.path, file]))

/** Modules that reach a network. */
const NETWORK =
  /^node:(net|dgram|http|https|http2|tls|dns|dns\/promises|child_process|cluster|inspector)$|^(uWebSockets\.js|koffi)$/

/** Calls of the machine code that open sockets: who names one reaches a network as who loads node:dgram does. */
const SOCKET_CALLS = /\budpOpen\b/

/** Files of ours that are loaded with `path` or later, by import(). */
function reachedFrom(path: string, found = new Map<string, SourceFile>()): Map<string, SourceFile> {
  const file = byPath.get(path)
  if (file === undefined || found.has(path)) return found
  found.set(path, file)
  const later = [...file.text.matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, name = '']) =>
    normalize(join(dirname(path), name)),
  )
  for (const name of [...file.loads, ...later]) reachedFrom(name, found)
  return found
}

/** Names of network modules that are loaded somewhere below `path`, with who loads them. */
function networkBelow(path: string): string[] {
  return [...reachedFrom(path).values()].flatMap(file => [
    ...file.loads.filter(name => NETWORK.test(name)).map(name => `${file.path} loads ${name}`),
    ...(SOCKET_CALLS.test(file.text) ? [`${file.path} opens sockets of the machine code`] : []),
  ])
}

test('the engine over circuits loads nothing that reaches a network', () => {
  const reached = reachedFrom('src/chapters/circuits/anonymous/anonymous-engine.ts')
  for (const path of [
    'src/torrent/session/session.ts',
    'src/utp/mux.ts',
    'src/dht/node.ts',
    'src/torrent/web-seeds/web-seeds.ts',
  ])
    assert.ok(reached.has(path), path)
  assert.deepEqual(networkBelow('src/chapters/circuits/anonymous/anonymous-engine.ts'), [])
  assert.deepEqual(networkBelow('src/chapters/circuits/anonymous/late-lane.ts'), [])
})

test('the same look finds the network of the plain engine, and the sockets of the machine code', () => {
  assert.notDeepEqual(networkBelow('src/node/engine/engine-parts.ts'), [])
  assert.ok(networkBelow('src/io/net/udp-choice.ts').some(found => found.includes('machine code')))
})

test('the engine over circuits gets no plain way handed in', () => {
  const { text } = byPath.get('src/chapters/circuits/anonymous/anonymous-engine.ts') as SourceFile
  assert.doesNotMatch(text, /network-stack|NetworkStack|tcp-net|TcpNetwork|DnsResolver|Guarded/)
  const engines = byPath.get('src/chapters/circuits/anonymous/anonymous-engines.ts') as SourceFile
  assert.doesNotMatch(engines.text, /network-stack|NetworkStack|TcpNetwork|UdpNetwork|DnsResolver|Guarded/)
})
