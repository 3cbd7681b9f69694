// A backup has the catalogue of channels in it, with the keys: the copy writes on in the same channel.

import { allKept } from '../../../../kit/all-kept.ts'
import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { backUp } from '../../../../../src/node/state/backup.ts'
import type { ChannelId } from '../../../../../src/chapters/channels/wire/types.ts'
import { openCatalogue } from '../../kit/open-catalogue.ts'
import { temporaryFolder } from '../../../../unit/records/records-kit.ts'
import { torrentOf } from './catalogue-kit.ts'

test('a backup that is taken while channels are written holds own channels and their keys', async t => {
  const folder = temporaryFolder(t)
  const to = join(temporaryFolder(t), 'backup')
  writeFileSync(join(folder, 'tributary.yaml'), '')
  const here = await openCatalogue(t, { folder })
  const { dispersy_cid } = await here.library.create('mine', '', 'closed')
  const cid = dispersy_cid as ChannelId
  await here.library.addTorrent(cid, torrentOf(1))
  const author = await here.library.author()
  assert.deepEqual(await backUp(folder, to, allKept), ['tributary.yaml', 'catalogue.db'])
  assert.equal(statSync(join(to, 'catalogue.db')).mode & 0o777, 0o600)
  assert.equal(statSync(join(folder, 'catalogue.db')).mode & 0o777, 0o600)
  const copy = await openCatalogue(t, { folder: to })
  assert.equal(await copy.library.author(), author)
  await copy.library.addTorrent(cid, torrentOf(2))
  assert.equal((await copy.library.channel(cid)).torrents, 2)
})
