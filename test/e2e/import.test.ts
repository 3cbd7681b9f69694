// POST /import and the command import of the built program, over made-up folders: what is kept over a restart, doubt
// that lasts, hostile folders, keys of limited scope, parts.

import assert from 'node:assert/strict'
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { ImportedTorrent, ImportPage } from '../../src/services/api.ts'
import { makeTestFolder, type TestFolder, writeContent } from '../kit/content/content-on-disk.ts'
import { downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, runCli, startNode } from '../kit/nodes/node-process.ts'
import { libtorrentResumeOf, putResume } from '../kit/content/resume-files.ts'

const LENGTH = 400_000

describe('importing', { concurrency: 1 }, () => {
  let folder: TestFolder
  let data: string
  let stateDir: string
  let node: NodeProcess
  let made = 0

  before(async () => {
    folder = await makeTestFolder()
    data = await folder.sub('data')
    stateDir = await folder.sub('state')
    node = await startNode({ stateDir })
  })
  after(async () => {
    await node?.stop()
    await folder?.remove()
  })

  /** A torrent of its own name, whole on disk. */
  const torrentOf = async (): Promise<MadeTorrent> => {
    const one = makeTorrent({ name: `one-${++made}.bin`, length: LENGTH, seed: made })
    await writeContent(one, data, '')
    return one
  }
  const page = async (body: object, key = node.key): Promise<ImportPage> => {
    const reply = await node.request('POST', '/import', { from: 'libtorrent', ...body }, { 'x-api-key': key })
    assert.equal(reply.status, 200, reply.body.toString())
    return reply.json<ImportPage>()
  }
  const importFrom = async (backup: string, more: object = {}): Promise<ImportedTorrent[]> =>
    (await page({ folder: backup, ...more })).results

  test('what another client had is there after a restart too, and nothing is hashed', async () => {
    const backup = await folder.sub('kept')
    const one = await torrentOf()
    const times = { added_time: 1_500_000_000, completed_time: 1_500_000_100, seeding_time: 3600 }
    const sums = { total_uploaded: 800_000, total_downloaded: LENGTH, sequential_download: 1 }
    await putResume(backup, one, libtorrentResumeOf(one, data, { ...times, ...sums, upload_rate_limit: 5000 }))
    // Other bytes that nobody can tell from outside: whoever hashes finds them.
    await writeFile(join(data, 'one-1.bin'), new Uint8Array(LENGTH))
    await utimes(join(data, 'one-1.bin'), 1_600_000_000, 1_600_000_000)
    const [result] = await importFrom(backup, { sample: 0 })
    assert.deepEqual([result?.result, result?.pieces_kept], ['imported', 13])
    for (const restarted of [false, true]) {
      if (restarted) {
        await node.stop()
        node = await startNode({ stateDir })
      }
      const record = await downloadComplete(node, one.infoHash, 20_000)
      assert.deepEqual([record.total_up, record.total_down, record.ratio], [800_000, LENGTH, 2])
      assert.deepEqual([record.time_added, record.sequential, record.max_upload_speed], [1_500_000_000, true, 5000])
      const { time_seeded: seeded } = await node.get<{ time_seeded: number }>(`/downloads/${one.infoHash}/explain`)
      assert.ok(seeded >= 3600, `${seeded}`)
    }
    // Hashed as evidence, the same is found out.
    await node.request('DELETE', `/downloads/${one.infoHash}`, { remove_data: false })
    const [looked] = await importFrom(backup)
    assert.deepEqual([looked?.result, looked?.reasons[0]?.code, looked?.pieces_kept], ['checking', 'sample_wrong', 0])
  })

  test('doubt lasts: imported stopped, killed, started again, and only then hashed', async () => {
    const backup = await folder.sub('doubt')
    const one = await torrentOf()
    await putResume(backup, one, libtorrentResumeOf(one, data, { paused: 1, auto_managed: 0 }))
    const file = join(data, `one-${made}.bin`)
    await writeFile(file, Buffer.concat([one.content.subarray(0, LENGTH - 1), Buffer.from('?')]))
    await utimes(file, 4_000_000_000, 4_000_000_000)
    const [result] = await importFrom(backup)
    assert.deepEqual([result?.result, result?.reasons[0]?.code], ['checking', 'time_differs'])
    assert.equal((await downloadRecord(node, one.infoHash)).status, 'DLSTATUS_STOPPED')
    await node.kill('SIGKILL')
    node = await startNode({ stateDir })
    await node.request('PATCH', `/downloads/${one.infoHash}`, { state: 'resume' })
    const found = await downloadUntil(node, one.infoHash, ({ status }) => status === 'DLSTATUS_DOWNLOADING', 20_000)
    assert.ok(found.progress > 0.9 && found.progress < 1, `${found.progress}`)
  })

  test('one broken torrent stops no other; each says what is wrong', async () => {
    const backup = await folder.sub('hostile')
    const good = await torrentOf()
    await putResume(backup, good, libtorrentResumeOf(good, data))
    const cases: [name: string, resume: Uint8Array, code: string][] = []
    const add = (name: string, more: Parameters<typeof libtorrentResumeOf>[2], code: string): void =>
      void cases.push([name, libtorrentResumeOf(good, data, more), code])
    const other = makeTorrent({ name: 'other.bin', length: LENGTH, seed: 999 })
    add('relative', { save_path: 'data' }, 'InvalidParameter')
    add('climbing', { save_path: `${data}/../../etc` }, 'InvalidParameter')
    add('nowhere', { save_path: '/nowhere/at/all' }, 'FileMissing')
    add('no-folder', { save_path: '' }, 'TorrentUnreadable')
    add('bitfield', { pieces: Uint8Array.of(1, 1) }, 'TorrentUnreadable')
    add('other-hash', { 'info-hash': Buffer.from(other.infoHash, 'hex') }, 'TorrentUnreadable')
    cases.push(['deep', Buffer.from(`d1:a${'l'.repeat(100_000)}`), 'TorrentUnreadable'])
    cases.push(['empty', Buffer.alloc(0), 'TorrentUnreadable'])
    for (const [name, resume] of cases) {
      const one = makeTorrent({
        name: `${name}.bin`,
        length: LENGTH,
        seed: 1000 + cases.findIndex(([n]) => n === name),
      })
      const named = name === 'other-hash' || resume.length < 4 || name === 'deep' ? resume : withHash(resume, good, one)
      await writeFile(join(backup, `${name}.torrent`), one.torrent)
      await writeFile(join(backup, `${name}.fastresume`), named)
    }
    await symlink(join(backup, 'deep.fastresume'), join(backup, 'link.fastresume'))
    const results = await importFrom(backup)
    const byName = new Map(results.map(one => [one.source, one]))
    assert.equal(byName.get(good.infoHash)?.result, 'imported')
    for (const [name, , code] of [...cases, ['link', null, 'TorrentUnreadable'] as const]) {
      const found = byName.get(name)
      assert.deepEqual([found?.result, found?.reasons[0]?.code], ['refused', code], `${name} ${JSON.stringify(found)}`)
    }
    const end = await runCli(['import', backup, '--from', 'libtorrent', '--url', node.baseUrl, '--state-dir', stateDir])
    assert.equal(end.code, 1)
    assert.match(end.stdout, /^exists +\w{8} {2}one-/m)
    assert.match(end.stdout, /^ {4}FileMissing: None of its files lies in \/nowhere\/at\/all/m)
    assert.match(end.stdout, /1 there already, 9 refused\.\n$/)
  })

  test('the command sums up one torrent', async () => {
    const backup = await folder.sub('few')
    const run = () => runCli(['import', backup, '--from', 'libtorrent', '--url', node.baseUrl, '--state-dir', stateDir])
    const one = await torrentOf()
    await putResume(backup, one, libtorrentResumeOf(one, data, {}))
    assert.match((await run()).stdout, /\n1 imported\.\n$/)
    assert.match((await run()).stdout, /\n1 there already\.\n$/)
  })

  test('a torrent without metadata is a link again', async () => {
    const backup = await folder.sub('links')
    const one = makeTorrent({ name: 'never', seed: 77 })
    await mkdir(backup, { recursive: true })
    const more = { pieces: '', name: 'never', 'qBt-category': 'later', paused: 1, auto_managed: 0 }
    await writeFile(join(backup, 'x.fastresume'), libtorrentResumeOf(one, data, more))
    const [result] = await importFrom(backup, { from: 'qbittorrent' })
    assert.deepEqual([result?.result, result?.reasons[0]?.code], ['imported', 'metadata_missing'])
    const record = await downloadRecord(node, one.infoHash)
    assert.deepEqual([record.name, record.labels, record.status], ['never', ['later'], 'DLSTATUS_STOPPED'])
  })

  test('parts follow each other, and the command goes through all of them', async () => {
    const backup = await folder.sub('parts')
    const all: string[] = []
    for (let one = 0; one < 7; one++) {
      const torrent = await torrentOf()
      all.push(await putResume(backup, torrent, libtorrentResumeOf(torrent, data)))
    }
    const seen: string[] = []
    let after = ''
    do {
      const part = await page({ folder: backup, dry_run: true, limit: 3, after })
      assert.ok(part.results.length <= 3 && part.total === 7)
      seen.push(...part.results.map(({ source }) => source))
      after = part.next
    } while (after !== '')
    assert.deepEqual(seen, all.sort())
    const order = ['import', backup, '--from', 'libtorrent', '--json', '--url', node.baseUrl, '--state-dir', stateDir]
    const end = await runCli(order)
    assert.equal(end.code, 0, end.stderr)
    const { results } = JSON.parse(end.stdout) as { results: ImportedTorrent[] }
    assert.deepEqual(
      results.map(({ result }) => result),
      all.map(() => 'imported'),
    )
    for (const infoHash of all) await downloadComplete(node, infoHash, 20_000)
  })

  test('keys of limited scope import from allowed folders alone, and into them', async () => {
    const { key } = (await node.request('PUT', '/keys', { name: 'limited', scopes: ['admin'] })).json<{ key: string }>()
    const backup = await folder.sub('limited')
    const outside = await node.request('POST', '/import', { from: 'libtorrent', folder: backup }, { 'x-api-key': key })
    assert.deepEqual([outside.status, outside.json<{ error: { code: string } }>().error.code], [403, 'PathNotAllowed'])
    const one = await torrentOf()
    await putResume(backup, one, libtorrentResumeOf(one, data))
    await node.request('POST', '/settings', { general: { allowed_paths: [backup] } })
    const { results } = await page({ folder: backup }, key)
    assert.deepEqual([results[0]?.result, results[0]?.reasons[0]?.code], ['refused', 'PathNotAllowed'])
    await rm(join(backup, `${one.infoHash}.torrent`))
    const reader = (await node.request('PUT', '/keys', { name: 'adder', scopes: ['read', 'add'] })).json<{
      key: string
    }>()
    const refused = await node.request(
      'POST',
      '/import',
      { from: 'libtorrent', folder: backup },
      { 'x-api-key': reader.key },
    )
    assert.equal(refused.status, 403)
  })
})

/** The same resume data under the name of another torrent. */
function withHash(resume: Uint8Array, from: MadeTorrent, to: MadeTorrent): Uint8Array {
  const at = Buffer.from(resume).indexOf(Buffer.from(from.infoHash, 'hex'))
  return Buffer.concat([resume.subarray(0, at), Buffer.from(to.infoHash, 'hex'), resume.subarray(at + 20)])
}
