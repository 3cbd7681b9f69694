// Child of config-kill.test: changes settings without end and acknowledges each change once it was promised.

import { coreTable } from '../../src/node/settings/settings-table.ts'
import { writeSync } from 'node:fs'
import { SettingsStore } from '../../src/node/settings/settings-store.ts'

const [stateDir = '', first = '1'] = process.argv.slice(2)
const settings = await SettingsStore.open({
  stateDir,
  stateDirChosen: true,
  homeDir: null,
  env: {},
  flags: [],
  table: coreTable,
})
const padding = Array.from({ length: 200 }, (_, n) => `/allowed/${'x'.repeat(200)}/${n}`)
await settings.change({ general: { allowed_paths: padding } })
for (let rate = Number(first); ; rate++) {
  await settings.change({ libtorrent: { max_upload_rate: rate, max_download_rate: rate } })
  writeSync(1, `${rate}\n`)
}
