// Torrents into channels: what records tell of them, and every error of specification 4.4.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../../../src/base/errors.ts'
import type { ListedChannel } from '../../../../../src/chapters/channels/ports/channel-library.ts'
import { cutCharacters, torrentContent } from '../../../../../src/chapters/channels/service/channel-torrent-content.ts'
import {
  ChannelTorrents,
  type TorrentShelf,
  type UriMetainfo,
} from '../../../../../src/chapters/channels/service/channel-torrents.ts'
import type { RecordId, TorrentContent } from '../../../../../src/chapters/channels/wire/types.ts'
import { decodeMetainfo } from '../../../../../src/wire/metainfo/metainfo.ts'
import { makeTorrent } from '../../../../kit/content/make-torrent.ts'

const CID = 'c'.repeat(40)
/** Its base64 has all that is special. */
const SEED = 3
const made = makeTorrent({ name: 'film.mkv', seed: SEED, announce: [['http://t.example/announce']] })
const base64 = Buffer.from(made.torrent).toString('base64')
const magnet = `magnet:?xt=urn:btih:${made.infoHash}`
const { signal } = new AbortController()
const refuses = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

/** A channel of our own, or of somebody else, and torrents behind uris. */
function bench(options: { readonly canEdit?: boolean; readonly uris?: Record<string, Uint8Array | ErrorCode> } = {}) {
  const held = new Map<string, TorrentContent>()
  const asked: string[] = []
  const library: TorrentShelf = {
    channel: async cid => {
      if (cid !== CID) throw new AppError('ChannelNotFound')
      return { dispersy_cid: cid, can_edit: options.canEdit ?? true } as ListedChannel
    },
    addTorrent: async (_cid, torrent) => {
      if (held.has(torrent.infoHash)) throw new AppError('DuplicateTorrentFileError')
      held.set(torrent.infoHash, torrent)
      return 'r'.repeat(64) as RecordId
    },
    torrent: async infoHash =>
      held.has(infoHash)
        ? ({ channels: [CID] } as unknown as NonNullable<Awaited<ReturnType<TorrentShelf['torrent']>>>)
        : null,
  }
  const sources: UriMetainfo = {
    metainfo: async uri => {
      asked.push(uri)
      const found = options.uris?.[uri] ?? 'SourceFailed'
      if (typeof found === 'string') throw new AppError(found)
      return decodeMetainfo(found)
    },
  }
  return { held, asked, torrents: new ChannelTorrents({ library, sources }) }
}

test('an uploaded torrent is in the channel with what its file tells', async () => {
  const { torrents, held } = bench()
  await torrents.addUpload(CID, base64, 'about it')
  assert.deepEqual(held.get(made.infoHash), {
    kind: 'torrent',
    infoHash: made.infoHash,
    name: 'film.mkv',
    description: 'about it',
    size: 100_000,
    files: [{ path: 'film.mkv', size: 100_000 }],
    fileCount: 1,
    trackers: ['http://t.example/announce'],
    category: 'video',
  })
})

test('base64 as forms and mail send it is read', async () => {
  assert.ok(base64.includes('+') && base64.includes('/'), 'the test needs both')
  const folded = (base64.match(/.{1,76}/g) ?? []).join('\r\n')
  for (const text of [base64.replaceAll('+', ' '), folded, base64.replaceAll('+', '-').replaceAll('/', '_')]) {
    const { torrents, held } = bench()
    await torrents.addUpload(CID, text, '')
    assert.equal(held.size, 1)
  }
})

test('what is no torrent is ChannelTorrentError and adds nothing', async () => {
  const { torrents, held } = bench()
  const corrupt = Buffer.from(made.torrent.subarray(0, made.torrent.length - 20)).toString('base64')
  for (const text of ['', '%%%', 'A', Buffer.from('hello').toString('base64'), corrupt])
    await assert.rejects(torrents.addUpload(CID, text, ''), refuses('ChannelTorrentError'))
  assert.equal(held.size, 0)
})

test('a private torrent is refused', async () => {
  const { torrent } = makeTorrent({ private: true })
  const upload = bench().torrents.addUpload(CID, Buffer.from(torrent).toString('base64'), '')
  await assert.rejects(upload, refuses('ChannelTorrentError'))
})

test('a second time is DuplicateTorrentFileError, except for magnets, which are not looked for again', async () => {
  const url = 'http://x.example/a.torrent'
  const { torrents, asked } = bench({ uris: { [url]: made.torrent, [magnet]: made.torrent } })
  await torrents.addUri(CID, magnet, '', signal)
  await assert.rejects(torrents.addUpload(CID, base64, ''), refuses('DuplicateTorrentFileError'))
  await assert.rejects(torrents.addUri(CID, url, '', signal), refuses('DuplicateTorrentFileError'))
  await assert.rejects(torrents.addUri(CID, magnet, '', signal), refuses('ChannelTorrentError'))
  assert.deepEqual(asked, [magnet, url])
})

test('failures of a source are ChannelTorrentError; other schemes are not asked', async () => {
  const codes: ErrorCode[] = ['SourceFailed', 'AddressRefused', 'TorrentUnreadable', 'MetadataTimeout']
  for (const code of codes) {
    const { torrents } = bench({ uris: { 'http://x.example/': code } })
    await assert.rejects(torrents.addUri(CID, 'http://x.example/', '', signal), refuses('ChannelTorrentError'))
  }
  const { torrents, asked } = bench()
  await assert.rejects(torrents.addUri(CID, 'magnet:?xt=urn:btih:zz', '', signal), refuses('ChannelTorrentError'))
  for (const uri of ['file:///etc/passwd', '/etc/passwd', 'ftp://x/', ''])
    await assert.rejects(torrents.addUri(CID, uri, '', signal), refuses('BadScheme'))
  assert.deepEqual(asked, [])
  const late = bench({ uris: { [magnet]: 'NotReady' } })
  await assert.rejects(late.torrents.addUri(CID, magnet, '', signal), refuses('NotReady'))
})

test('nothing is read or fetched for a channel that is not there or not ours', async () => {
  const unknown = 'd'.repeat(40)
  const { torrents, asked } = bench({ uris: { [magnet]: made.torrent } })
  await assert.rejects(torrents.addUpload(unknown, base64, ''), refuses('ChannelNotFound'))
  await assert.rejects(torrents.addUri(unknown, magnet, '', signal), refuses('ChannelNotFound'))
  const others = bench({ canEdit: false })
  await assert.rejects(others.torrents.addUpload(CID, base64, ''), refuses('NotChannelOwner'))
  await assert.rejects(others.torrents.addUri(CID, magnet, '', signal), refuses('NotChannelOwner'))
  assert.deepEqual([...asked, ...others.asked], [])
})

test('what a record tells stays within its size, whatever the torrent is', () => {
  const files = Array.from({ length: 500 }, (_, at) => ({ path: `${'ö'.repeat(100)}${at}.flac`, length: 1 }))
  const announce = Array.from({ length: 100 }, (_, at) => [`http://t${at}.example/${'a'.repeat(60)}/announce`])
  const big = decodeMetainfo(makeTorrent({ name: '漢'.repeat(1_000), files, announce }).torrent)
  const content = torrentContent(big, '漢'.repeat(5_000))
  assert.equal(content.name.length, 255)
  assert.equal(content.description.length, 1_023)
  assert.equal(content.fileCount, 500)
  assert.equal(content.size, 500)
  assert.equal(content.category, 'audio')
  const announces = [[`http://a.example/${'x'.repeat(1_500)}`], ['http://b.example/']]
  const long = decodeMetainfo(makeTorrent({ announce: announces }).torrent)
  assert.deepEqual(torrentContent(long, '').trackers, ['http://b.example/'])
  assert.ok(content.files.length >= 3 && content.trackers.length > 5)
  assert.ok(Buffer.byteLength(JSON.stringify(content)) < 7_600)
})

test('padding files are no files of the channel; characters are not cut in half', () => {
  const torrent = makeTorrent({
    files: [
      { path: 'a', length: 5 },
      { path: 'b', length: 6 },
    ],
    padding: true,
  })
  const content = torrentContent(decodeMetainfo(torrent.torrent), '')
  assert.deepEqual([content.fileCount, content.size], [2, 11])
  assert.equal(cutCharacters('a😀b', 2), 'a')
  assert.equal(cutCharacters('a😀b', 3), 'a😀')
})
