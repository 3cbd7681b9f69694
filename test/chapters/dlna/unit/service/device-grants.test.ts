// Devices that were given links, and what those are worth.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeviceGrants, MAX_DEVICES } from '../../../../../src/chapters/dlna/service/device-grants.ts'
import { decodeServerState } from '../../../../../src/chapters/dlna/service/server-state.ts'
import { AppError } from '../../../../../src/base/errors.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../../../kit/wait-for.ts'

/** A file in memory. */
class MemoryFile {
  text: string | null = null
  writes = 0
  broken = false

  read = async (): Promise<string | null> => this.text

  write = async (text: string): Promise<void> => {
    if (this.broken) throw new AppError('DiskFull')
    this.writes += 1
    this.text = text
  }
}

async function opened(
  file = new MemoryFile(),
  seed = 1,
): Promise<{ grants: DeviceGrants; file: MemoryFile; clock: VirtualClock }> {
  const clock = new VirtualClock()
  const grants = new DeviceGrants({ clock, random: new SeededRandom(seed), file, log: silentLog })
  await grants.open()
  return { grants, file, clock }
}

const DOWNLOAD = 'abcdefghijklmnop'

test('a link opens its file, for the device it was given to, and no other', async () => {
  const { grants } = await opened()
  const tv = await grants.seen('192.168.1.20', 'Television/1')
  const phone = await grants.seen('192.168.1.21', '')
  const token = grants.tokenFor(tv.id, DOWNLOAD, 3)
  assert.equal(grants.opens(tv.id, DOWNLOAD, 3, token)?.ip, '192.168.1.20')
  assert.equal(grants.opens(phone.id, DOWNLOAD, 3, token), null)
  assert.equal(grants.opens(tv.id, DOWNLOAD, 4, token), null)
  assert.equal(grants.opens(tv.id, 'abcdefghijklmnoq', 3, token), null)
  assert.equal(grants.opens(tv.id, DOWNLOAD, 3, token.slice(0, -1)), null)
  assert.equal(grants.opens('000000000000', DOWNLOAD, 3, token), null)
})

test('links, uuid, port and names of objects last over restarts; another node has others', async () => {
  const first = await opened()
  const tv = await first.grants.seen('192.168.1.20', 'Television/1')
  await first.grants.keepPort(4242)
  const token = first.grants.tokenFor(tv.id, DOWNLOAD, 0)
  const { grants } = await opened(first.file, 2)
  assert.equal(grants.opens(tv.id, DOWNLOAD, 0, token)?.name, 'Television/1')
  assert.deepEqual([grants.udn, grants.port], [first.grants.udn, 4242])
  assert.equal(grants.keyOf('aa'), first.grants.keyOf('aa'))
  assert.match(grants.udn, /^uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const other = await opened(new MemoryFile(), 3)
  assert.notEqual(other.grants.udn, grants.udn)
  assert.notEqual(other.grants.keyOf('aa'), grants.keyOf('aa'))
})

test('a new device is on the disk before it has links', async () => {
  const { grants, file } = await opened()
  const tv = await grants.seen('192.168.1.20', 'x')
  assert.ok(decodeServerState(file.text ?? '')?.devices.some(({ id }) => id === tv.id))
})

test('a blocked device is answered nothing and its links end; allowed again they hold', async () => {
  const { grants, file } = await opened()
  const { id } = await grants.seen('192.168.1.20', 'x')
  const token = grants.tokenFor(id, DOWNLOAD, 0)
  await grants.allow(id, false)
  assert.equal(grants.mayAsk('192.168.1.20'), false)
  assert.equal(grants.opens(id, DOWNLOAD, 0, token), null)
  assert.equal((await opened(file)).grants.mayAsk('192.168.1.20'), false)
  await grants.allow(id, true)
  assert.equal(grants.mayAsk('192.168.1.20'), true)
  assert.notEqual(grants.opens(id, DOWNLOAD, 0, token), null)
  assert.equal(await grants.allow('000000000000', true), null)
})

test('a forgotten device comes back as another, with other links', async () => {
  const { grants } = await opened()
  const { id } = await grants.seen('192.168.1.20', 'x')
  const token = grants.tokenFor(id, DOWNLOAD, 0)
  await grants.forget(id)
  assert.equal(grants.opens(id, DOWNLOAD, 0, token), null)
  const again = await grants.seen('192.168.1.20', 'x')
  assert.notEqual(again.id, id)
  assert.equal(await grants.forget('000000000000'), null)
})

test('what was not kept says so where somebody asked for it, and keeps nobody from watching', async () => {
  const { grants, file } = await opened()
  const { id } = await grants.seen('192.168.1.20', 'x')
  file.broken = true
  await assert.rejects(grants.allow(id, false), { code: 'DiskFull' })
  assert.equal((await grants.seen('192.168.1.30', 'y')).ip, '192.168.1.30')
})

test('who is blocked or forgotten is cut before anything is written; what was not written is not so', async () => {
  const { grants, file } = await opened()
  const { id } = await grants.seen('192.168.1.20', 'x')
  const token = grants.tokenFor(id, DOWNLOAD, 0)
  const cut: string[] = []
  const note = (device: { readonly id: string }): void => {
    cut.push(device.id)
    assert.equal(grants.opens(id, DOWNLOAD, 0, token), null, 'it cannot come back at once')
  }
  file.broken = true
  await assert.rejects(grants.allow(id, false, note), { code: 'DiskFull' })
  await assert.rejects(grants.forget(id, note), { code: 'DiskFull' })
  assert.deepEqual(cut, [id, id])
  assert.equal(grants.mayAsk('192.168.1.20'), true)
  file.broken = false
  assert.equal((await grants.forget(id, note))?.id, id, 'it can be asked for again')
  assert.equal((await opened(file)).grants.devices.length, 0)
})

test('when somebody was last seen is written from time to time, and at the end', async () => {
  const { grants, file, clock } = await opened()
  await grants.seen('192.168.1.20', 'x')
  const before = file.writes
  for (let at = 0; at < 50; at += 1) {
    await clock.advance(1000)
    await grants.seen('192.168.1.20', 'x')
  }
  assert.equal(file.writes, before)
  await grants.stop()
  assert.equal(file.writes, before + 1)
  await grants.seen('192.168.1.20', 'x')
  await clock.advance(3_600_000)
  await waitFor('the write', () => file.writes === before + 2)
})

test('hundreds of new devices at once are hundreds of links, and a few writes', async () => {
  const { grants, file } = await opened()
  const before = file.writes
  for (let at = 0; at < 100; at += 1) await grants.seen(`10.0.0.${at}`, 'x')
  assert.equal(file.writes, before + 16)
  await grants.stop()
  assert.equal(decodeServerState(file.text ?? '')?.devices.length, 100)
})

test('devices are bounded; those that are blocked stay', async () => {
  const { grants, clock } = await opened()
  const { id } = await grants.seen('10.0.0.0', 'x')
  await grants.allow(id, false)
  for (let at = 1; at < MAX_DEVICES + 20; at += 1) {
    await clock.advance(1000)
    await grants.seen(`10.0.${at >> 8}.${at & 255}`, 'x'.repeat(500))
  }
  assert.equal(grants.devices.length, MAX_DEVICES)
  assert.ok(grants.devices.some(device => device.id === id))
  assert.ok(!grants.devices.some(device => device.ip === '10.0.0.1'))
  assert.ok(grants.devices.every(({ name }) => name.length <= 120))
})

test('who plays from kept links stays when others come', async () => {
  const { grants, clock, file } = await opened()
  const { id } = await grants.seen('10.0.0.0', 'x')
  const token = grants.tokenFor(id, DOWNLOAD, 0)
  const writes = file.writes
  for (let at = 1; at < MAX_DEVICES + 20; at += 1) {
    await clock.advance(11_000)
    assert.equal(grants.opens(id, DOWNLOAD, 0, token)?.id, id)
    if (at < 100) continue
    await grants.seen(`10.0.1.${at}`, 'x')
  }
  assert.ok(file.writes - writes < 60, 'links that are used are not a write each')
  for (let at = 0; at < MAX_DEVICES; at += 1) {
    await clock.advance(11_000)
    assert.notEqual(grants.opens(id, DOWNLOAD, 0, token), null)
    await grants.seen(`10.0.2.${at}`, 'x')
  }
  assert.equal(grants.devices.length, MAX_DEVICES)
  assert.ok(grants.devices.some(device => device.id === id))
})

test('a file that is not whole counts as absent', async () => {
  for (const text of ['', '{', '{}', '[]', 'null', '{"uuid":"x","port":1,"secret":"y","devices":[]}']) {
    assert.equal(decodeServerState(text), null, text)
    const file = new MemoryFile()
    file.text = text
    const { grants } = await opened(file)
    assert.equal(grants.devices.length, 0)
    assert.ok(decodeServerState(file.text) !== null, 'a new one is kept')
  }
})
