// Child of upgrade-kill.test: upgrades a database and tells of each event once it is in the log. With `slow` as its
// second argument steps take their time, so that a kill comes inside one; with a number it stops dead after telling of
// that many events, so that the kill comes there however busy the machine is. Then it waits to be killed.

import { writeSync } from 'node:fs'
import { migrations } from '../../src/records/schema.ts'
import { openUpgraded } from '../../src/records/upgrade-database.ts'

const [path = '', pace = ''] = process.argv.slice(2)

/** Rewrites every row twice within the step, as a step that moves data would. */
const SLOW = 'UPDATE downloads SET name = name; UPDATE metainfo SET info = info;'
const steps =
  pace === 'slow' ? migrations.map(({ adds, sql }, n) => ({ adds, sql: n === 0 ? sql : SLOW + sql })) : migrations

let told = 0
const tell = (type: string): void => {
  writeSync(1, `${type}\n`)
  if (++told === Number(pace)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
await openUpgraded({ path, bootId: 'a', nowMs: 1_700_000_000_000 }, ({ type }) => tell(type), steps)
setInterval(() => undefined, 1000)
