// An encoder that gives nothing, or says nothing of its failure: nobody waits for it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CustomAudioEncoder, registerEncoder } from 'mediabunny'
import { AacEncoding } from '../../../../../src/chapters/hls/convert/aac-encoding.ts'
import { CoderFailed } from '../../../../../src/chapters/hls/convert/coder-failed.ts'
import { SoundConverter } from '../../../../../src/chapters/hls/convert/sound-converter.ts'

/** What the next one does with what it is fed. */
let encode = async (): Promise<void> => undefined

class Silent extends CustomAudioEncoder {
  static override supports(): boolean {
    return true
  }
  async init(): Promise<void> {}
  encode(): Promise<void> {
    return encode()
  }
  async flush(): Promise<void> {}
  close(): void {}
}

// Before that of the package, so that it is asked first.
registerEncoder(Silent)

/** In a thread of the node its port keeps the loop going. */
const alive = setInterval(() => undefined, 1000)
after(() => clearInterval(alive))

const silence = new Float32Array(4 * 1024)

for (const [name, work] of [
  ['gives nothing', async () => undefined],
  ['fails', () => Promise.reject(new Error('no memory'))],
] as const)
  test(`one that ${name}`, { timeout: 30_000 }, async () => {
    encode = work
    const encoding = await AacEncoding.start(48_000)
    const checks: number[] = []
    await assert.rejects(
      encoding.encode(silence, silence, () => checks.push(1)),
      error => error instanceof Error,
    )
    assert.ok(checks.length < 5)
    await encoding.end()
  })

test('one that failed when it was made ready is not kept for the first segment', { timeout: 30_000 }, async () => {
  encode = async () => undefined
  const converter = new SoundConverter()
  for (let time = 0; time < 2; time += 1) await assert.rejects(converter.warm(), CoderFailed)
  await converter.end()
})
