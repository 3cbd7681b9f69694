// What encrypted connections cost: RC4 over the runs of blocks that go out and the reads that come in, a modular
// exponentiation of each kind, and a whole handshake of both sides. The rate of RC4 is 65,536 bytes divided by its
// mean.

import { Bench } from 'tinybench'
import { type InfoHash, infoHashBytes, parseInfoHash } from '../../src/base/ids.ts'
import { SystemRandom } from '../../src/io/random.ts'
import { MseInitiator } from '../../src/wire/mse/mse-initiator.ts'
import type { MseMethod, MseSide } from '../../src/wire/mse/mse-handshake.ts'
import { makeExponent, mseKeys } from '../../src/wire/mse/mse-keys.ts'
import { MseResponder } from '../../src/wire/mse/mse-responder.ts'
import { MseTorrents } from '../../src/wire/mse/mse-torrents.ts'
import { Rc4 } from '../../src/wire/mse/rc4.ts'
import { runTasks } from './run-tasks.ts'

const RUN_BYTES = 64 * 1024
const METHODS: readonly MseMethod[] = ['rc4', 'plaintext']

const random = new SystemRandom()
const infoHash = parseInfoHash('00112233445566778899aabbccddeeff00112233') as InfoHash

/** Everything one side has to say now. */
function say(side: MseSide): Uint8Array {
  if (side.wanted > 0) side.compute()
  return side.takeOutput() ?? new Uint8Array(0)
}

function handshakeTask(): () => void {
  const torrents = new MseTorrents()
  torrents.add(infoHash)
  const initial = new Uint8Array(68)
  return () => {
    const a = new MseInitiator({ infoHash, methods: METHODS, random, initial: () => initial })
    const b = new MseResponder({ find: hash => torrents.find(hash), methods: METHODS, random })
    b.push(say(a))
    a.push(say(b))
    b.push(say(a))
    a.push(say(b))
    if (a.result === null || b.result === null) throw new Error('the handshake did not come to an end')
  }
}

async function main(): Promise<void> {
  const cipher = new Rc4(infoHashBytes(infoHash))
  const source = new Uint8Array(new SharedArrayBuffer(RUN_BYTES))
  const target = new Uint8Array(RUN_BYTES)
  const message = new Uint8Array(17)
  const exponent = makeExponent(random)
  const publicKey = mseKeys.publicKey(makeExponent(random))
  const bench = new Bench({ time: 1000 })
  bench
    .add('RC4 of 64 KiB from an arena', () => cipher.apply(source, target))
    .add('RC4 of 64 KiB in place', () => cipher.apply(target, target))
    .add('RC4 of 17 bytes', () => cipher.apply(message, message))
    .add('key schedule and 1,024 bytes thrown away', () => void new Rc4(exponent))
    .add('public key', () => void mseKeys.publicKey(exponent))
    .add('shared secret', () => void mseKeys.secret(exponent, publicKey))
    .add('handshake, both sides', handshakeTask())
  await runTasks('encrypted connections', bench)
}

await main()
