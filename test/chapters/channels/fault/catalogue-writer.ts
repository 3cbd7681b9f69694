// Child of catalogue-kill.test: writes into a channel of its own without end and acknowledges each thing once it was
// promised.

import { writeSync } from 'node:fs'
import { Catalogue } from '../../../../src/chapters/channels/catalogue/catalogue.ts'
import { torrentOf } from '../unit/catalogue/catalogue-kit.ts'

const [path = '', round = '0'] = process.argv.slice(2)
const { library } = await Catalogue.open({ path })
const say = (line: string): number => writeSync(1, `${line}\n`)

const [known] = await library.own()
const { dispersy_cid: cid } = known ?? (await library.create('mine', '', 'closed'))
say(`channel ${cid}`)
for (let n = 1; ; n++) {
  const id = Number(round) * 1_000_000 + n
  // Several promises wait for one commit.
  await Promise.all([0, 1, 2].map(part => library.addTorrent(cid, torrentOf(id * 10 + part))))
  say(`torrents ${id}`)
  if (n % 3 !== 0) continue
  await library.removeTorrents(cid, [torrentOf(id * 10).infoHash])
  say(`removed ${id}`)
}
