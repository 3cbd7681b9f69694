// Child of upgrade-kill.test: upgrades a database and tells of each event once it is in the log. With `1` as its second
// argument steps take their time, so that a kill comes inside one. Then it waits to be killed.

import { writeSync } from 'node:fs'
import { migrations } from '../../src/records/schema.ts'
import { openUpgraded } from '../../src/records/upgrade-database.ts'

const [path = '', slow = '0'] = process.argv.slice(2)

/** Rewrites every row twice within the step, as a step that moves data would. */
const SLOW = 'UPDATE downloads SET name = name; UPDATE metainfo SET info = info;'
const steps =
  slow === '1' ? migrations.map(({ adds, sql }, n) => ({ adds, sql: n === 0 ? sql : SLOW + sql })) : migrations

await openUpgraded({ path, bootId: 'a', nowMs: 1_700_000_000_000 }, ({ type }) => writeSync(1, `${type}\n`), steps)
setInterval(() => undefined, 1000)
