// The history of settings over requests, restarts and edits of the file.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NotedSettingChange, SettingChange, SettingsHistory } from '../../../src/ports/settings-history.ts'
import type { EffectiveSettings, Json } from '../../../src/services/api.ts'
import { SettingsChanges } from '../../../src/services/settings/settings-changes.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'

class MemoryHistory implements SettingsHistory {
  readonly noted: NotedSettingChange[] = []
  fails = false
  async note(changes: readonly SettingChange[]): Promise<void> {
    if (this.fails) throw new Error('disk')
    for (const change of changes) this.noted.push({ ...change, id: this.noted.length + 1, atMs: 1500 })
  }
  async list(before: number | null, limit: number): Promise<NotedSettingChange[]> {
    return this.noted
      .filter(({ id }) => id < (before ?? Infinity))
      .reverse()
      .slice(0, limit)
  }
  async latest(): Promise<NotedSettingChange[]> {
    return [...new Map(this.noted.map(change => [change.option, change])).values()]
  }
  get plain(): string[] {
    return this.noted.map(({ option, value, origin }) => `${option} ${value} ${origin}`)
  }
}

function changesOver(file: Record<string, Json>): SettingsChanges {
  const effective = (): EffectiveSettings => ({
    file: '/x.yaml',
    settings: {
      a: Object.fromEntries(
        Object.entries(file).map(([option, stored]) => [
          option,
          { value: stored, source: 'file', stored, default: null, needs_restart: false, restart_pending: false },
        ]),
      ),
    },
  })
  return new SettingsChanges({ effective, log: silentLog })
}

test('requests are noted with what the file holds, also those before the store was open', async () => {
  const history = new MemoryHistory()
  const file: Record<string, Json> = { x: null, y: null }
  const changes = changesOver(file)
  await assert.rejects(changes.list(null, 5), { code: 'NotReady' })
  file['x'] = 1
  await changes.note(['a.x'])
  await changes.open(history)
  file['y'] = ['ü']
  await changes.note(['a.y'])
  await changes.note([])
  assert.deepEqual(history.plain, ['a.x 1 request', 'a.y ["ü"] request'])
  assert.deepEqual(await changes.list(null, 1), [{ id: 2, time: 1, option: 'a.y', value: ['ü'], origin: 'request' }])
  assert.deepEqual(
    (await changes.list(2, 5)).map(({ id }) => id),
    [1],
  )
})

test('what was edited while no node ran is found at the start, once', async () => {
  const history = new MemoryHistory()
  await history.note([
    { option: 'a.x', value: '1', origin: 'request' },
    { option: 'a.y', value: '2', origin: 'request' },
  ])
  const file = { x: 1, y: 3, z: null }
  await changesOver(file).open(history)
  await changesOver(file).open(history)
  assert.deepEqual(history.plain.slice(2), ['a.y 3 file'])
  await changesOver({ x: null, y: 3 }).open(history)
  assert.deepEqual(history.plain.slice(3), ['a.x null file'])
})

test('a history that cannot be written takes nothing back', async () => {
  const history = new MemoryHistory()
  const changes = changesOver({ x: 1 })
  history.fails = true
  await changes.open(history)
  await changes.note(['a.x'])
  history.fails = false
  await changes.note(['a.x'])
  assert.deepEqual(history.plain, ['a.x 1 request'])
})

test('a request that comes while the history is being opened is noted too', async () => {
  const history = new MemoryHistory()
  const file: Record<string, Json> = { x: 1, y: null }
  const changes = changesOver(file)
  const note = history.note.bind(history)
  let first = true
  history.note = async noted => {
    if (first) {
      first = false
      file['y'] = 2
      await changes.note(['a.y'])
    }
    await note(noted)
  }
  await changes.open(history)
  assert.deepEqual(history.plain, ['a.x 1 file', 'a.y 2 request'])
})
