// Child of power-loss.test: keeps texts and lines as wallets and the market do, says so, and waits for the end.

import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { OwnerFolder } from '../../src/io/files/owner-folder.ts'

const [folder = ''] = process.argv.slice(2)
const keys = new OwnerFolder(join(folder, 'wallets/keys'), 'keys', 1_000)
await keys.write('one.json', 'first')
await keys.write('two.json', 'old')
await keys.write('two.json', 'new')
await keys.append('audit.log', 'a line')
writeSync(1, 'done\n')
setInterval(() => undefined, 1_000)
