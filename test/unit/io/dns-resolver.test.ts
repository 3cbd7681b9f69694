// The resolver: classes, sharing, keeping, bounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { AddressPolicy } from '../../../src/io/net/address-policy.ts'
import { DnsResolver } from '../../../src/io/net/dns-resolver.ts'

test('addresses come canonical and judged; one look-up serves all who ask', async () => {
  let asked = 0
  const resolver = new DnsResolver({
    policy: new AddressPolicy(),
    lookup: (_, done) => {
      asked++
      setImmediate(() =>
        done(null, ['8.8.8.8', '10.0.0.1', '2606:4700:0:0::1', '::ffff:10.0.0.2', 'fe80::1%lo', 'junk']),
      )
    },
  })
  const [first, second] = await Promise.all([resolver.resolve('a.test'), resolver.resolve('a.test')])
  assert.deepEqual(first, second)
  await resolver.resolve('a.test')
  assert.equal(asked, 1)
  assert.deepEqual(first, [
    { ip: '8.8.8.8', family: 4, class: 'public' },
    { ip: '10.0.0.1', family: 4, class: 'private' },
    { ip: '2606:4700::1', family: 6, class: 'public' },
    { ip: '10.0.0.2', family: 4, class: 'private' },
  ])
  assert.deepEqual(await resolver.resolve('::1'), [{ ip: '::1', family: 6, class: 'private' }])
  assert.equal(asked, 1)
})

test('a name without addresses is an error that is not kept', async () => {
  let asked = 0
  const resolver = new DnsResolver({
    policy: new AddressPolicy(),
    lookup: (_, done) => {
      asked++
      done(asked === 1 ? new Error('ENOTFOUND') : null, asked === 2 ? [] : ['9.9.9.9'])
    },
  })
  const refused = (error: unknown): boolean => error instanceof AppError && error.code === 'SourceFailed'
  await assert.rejects(resolver.resolve('a'), refused)
  await assert.rejects(resolver.resolve('a'), refused)
  assert.equal((await resolver.resolve('a'))[0]?.ip, '9.9.9.9')
})

test('look-ups at once are bounded', async () => {
  const answers: (() => void)[] = []
  const resolver = new DnsResolver({
    policy: new AddressPolicy(),
    lookup: (_, done) => void answers.push(() => done(null, ['9.9.9.9'])),
  })
  const waiting = Array.from({ length: 256 }, (_, i) => resolver.resolve(`n${i}`))
  await assert.rejects(resolver.resolve('one-more'), AppError)
  for (const answer of answers) answer()
  await Promise.all(waiting)
})
