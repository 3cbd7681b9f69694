// Commands about channels against a built node: each by what it changes and prints; a search ends by itself; names of
// strangers cannot steer a terminal. Channels start with the first request, and with the node when there is a
// catalogue.

import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { type NodeProcess, runCli, startNode } from '../../../kit/nodes/node-process.ts'

const made = makeTorrent({ name: 'An old film', length: 20_000, seed: 44 })
const cidOf = (text: string): string => /\b[0-9a-f]{40}\b/.exec(text)?.[0] ?? ''

describe('commands about channels', { concurrency: 1 }, () => {
  let folder = ''
  let node: NodeProcess
  let cid = ''

  const printed = async (...args: string[]): Promise<string> => {
    const ended = await runCli(args, { TRIBUTARY_STATE_DIR: node.stateDir })
    assert.equal(ended.code, 0, `${args.join(' ')}\n${ended.stdout}\n${ended.stderr}`)
    return ended.stdout
  }
  const refused = async (...args: string[]): Promise<string> => {
    const ended = await runCli(args, { TRIBUTARY_STATE_DIR: node.stateDir })
    assert.equal(ended.code, 1, `${args.join(' ')}\n${ended.stdout}`)
    return ended.stderr
  }
  const catalogue = (): string => path.join(node.stateDir, 'catalogue.db')

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-channel-commands-'))
    node = await startNode({ stateDir: folder })
  })
  after(async () => {
    await node?.stop()
    if (folder !== '') await rm(folder, { recursive: true, force: true })
  })

  test('a node that nobody asks for channels has no catalogue; statistics do not ask for them', async () => {
    await node.get('/statistics/tribler')
    await node.get('/downloads')
    await assert.rejects(stat(catalogue()), { code: 'ENOENT' })
    assert.match(await printed('channels', 'list'), /^No channels yet/)
    assert.equal((await stat(catalogue())).mode & 0o777, 0o600)
  })

  test('a channel is made, listed, changed', async () => {
    const made_ = await printed('channels', 'create', 'Old films', '--mode', 'open', '--description', 'Silent')
    cid = cidOf(made_)
    assert.notEqual(cid, '')
    assert.match(await printed('channels', 'list'), new RegExp(`^${cid} .* open .*own .*Old films$`, 'm'))
    assert.match(await printed('channels', 'mine'), /Old films/)
    await printed('channels', 'change', cid, '--name', 'Older \u001b[2Jfilms', '--mode', 'closed')
    const listed = await printed('channels', 'list')
    assert.match(listed, /closed/)
    assert.ok(!listed.includes('\u001b'))
    assert.match(await refused('channels', 'create', '  '), /cannot be empty/)
    assert.match(await refused('channels', 'show', 'f'.repeat(40)), /not known/)
  })

  test('a torrent file is added, listed, put into a playlist, taken away', async () => {
    const file = path.join(folder, 'film.torrent')
    await writeFile(file, made.torrent)
    await printed('channels', 'add-file', cid, file, '--description', 'One')
    assert.match(await refused('channels', 'add-file', cid, file), /already/)
    assert.match(await printed('channels', 'torrents', cid), new RegExp(`^${made.infoHash} .*An old film$`, 'm'))
    await printed('channels', 'edit', cid, made.infoHash, '--name', 'A better name')
    assert.match(await printed('channels', 'torrent', made.infoHash), /A better name/)
    await printed('channels', 'playlist-create', cid, 'Best', 'Of all')
    const { playlists } = JSON.parse(await printed('channels', 'playlists', cid, '--json')) as {
      playlists: { id: number }[]
    }
    const id = String(playlists[0]?.id)
    await printed('channels', 'playlist-add', cid, id, made.infoHash)
    assert.match(await refused('channels', 'playlist-add', cid, id, made.infoHash), /already/)
    await printed('channels', 'playlist-rm', cid, id, made.infoHash)
    await printed('channels', 'playlist-remove', cid, id)
  })

  test('search prints what is found and ends; completions go on from a word', async () => {
    const found = await printed('search', 'better', '--wait', '2')
    assert.match(found, new RegExp(`^${made.infoHash} .*A better name$`, 'm'))
    assert.match(await printed('completions', 'bet'), /better/)
    assert.match(await refused('search', ' ', '--wait', '1'), /missing|nothing/i)
  })

  test('comments, grants, and the end of a channel', async () => {
    await printed('channels', 'comment', cid, 'Welcome')
    assert.match(await printed('channels', 'comments', cid), /Welcome/)
    const key = 'ab'.repeat(32)
    await printed('channels', 'grant', cid, key)
    assert.match(await printed('channels', 'grants', cid), new RegExp(key))
    assert.match(await printed('channels', 'author'), /[0-9a-f]{64}/)
    assert.match(await printed('channels', 'rm', cid, `${made.infoHash},${'f'.repeat(40)}`), /f{40}/)
    const other = cidOf(await printed('channels', 'create', 'Another'))
    await printed('channels', 'end', other)
    assert.match(await refused('channels', 'subscribe', cid), /subscribed to this channel already/)
  })

  test('with a catalogue channels are there again with the node', async () => {
    await node.stop()
    node = await startNode({ stateDir: folder })
    interface Figures {
      readonly tribler_statistics: { readonly num_channels: number }
    }
    await node.until<Figures>('/statistics/tribler', ({ tribler_statistics: figures }) => figures.num_channels >= 1)
    assert.match(await printed('channels', 'mine'), new RegExp(cid))
  })
})
