// Body forms, booleans, numbers, lists and old names, over a real socket (decisions part 1).

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Running, ask, envelope, startServer } from './harness.ts'
import { HASH } from './service-double.ts'

let server: Running
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const add = async (body: string, type?: string): Promise<unknown> => {
  server.double.calls.length = 0
  const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type }
  const answer = await ask(server.port, '/downloads', { method: 'PUT', body, headers })
  return answer.status === 200 ? server.double.calls[0]?.[1] : envelope(answer).code
}
const patch = async (body: string): Promise<unknown> => {
  server.double.calls.length = 0
  const answer = await ask(server.port, `/downloads/${HASH}`, { method: 'PATCH', body })
  return answer.status === 200 ? server.double.calls[0]?.[2] : envelope(answer).code
}
const remove = async (query: string, body = ''): Promise<unknown> => {
  server.double.calls.length = 0
  const answer = await ask(server.port, `/downloads/${HASH}${query}`, { method: 'DELETE', body })
  return answer.status === 200 ? server.double.calls[0]?.[2] : `${answer.status} ${envelope(answer).code}`
}

test('JSON and pairs are distinguished by the body alone', async () => {
  const form = 'application/x-www-form-urlencoded'
  const wanted = {
    uri: 'magnet:?xt=1&dn=a b',
    anon_hops: 1,
    safe_seeding: true,
    destination: '/srv/ä',
    selected_files: [0, 2],
  }
  const pairs =
    'uri=magnet%3A%3Fxt%3D1%26dn%3Da+b&anon_hops=1&safe_seeding=1&destination=%2Fsrv%2F%C3%A4&selected_files[]=0&selected_files[]=2'
  assert.deepEqual(await add(pairs, form), wanted)
  assert.deepEqual(await add(pairs, 'application/json'), wanted)
  assert.deepEqual(await add(pairs), wanted)
  assert.deepEqual(await add(pairs.replaceAll('[]', '')), wanted)
  assert.deepEqual(await add(JSON.stringify(wanted), form), wanted)
  assert.deepEqual(await add(`\ufeff \n${JSON.stringify(wanted)}`), wanted)
  assert.deepEqual(
    await add(JSON.stringify({ ...wanted, anon_hops: '1', safe_seeding: '1', selected_files: ['0', '2'] })),
    wanted,
  )
})

test('torrent is read as the old name of uri, uri wins', async () => {
  assert.deepEqual(await add('torrent=a'), { uri: 'a' })
  assert.deepEqual(await add('{"torrent":"a","uri":"b"}'), { uri: 'b' })
  assert.deepEqual(await add('torrent=a&uri='), { uri: 'a' })
})

test('empty values are absent, unknown names are ignored', async () => {
  assert.deepEqual(await add('uri=a&anon_hops=&destination=&selected_files[]=&x=1'), { uri: 'a' })
  assert.deepEqual(await add('{"uri":"a","anon_hops":null,"__proto__":{"safe_seeding":true},"x":{}}'), { uri: 'a' })
  assert.equal(await add('uri='), 'MissingParameter')
  assert.equal(await add(''), 'MissingParameter')
  assert.equal(await add('{}'), 'MissingParameter')
})

test('booleans are true, false, 1, 0 and their texts, nothing else', async () => {
  for (const yes of ['true', '1', '"1"', '"true"']) {
    assert.equal(await remove('', `{"remove_data":${yes}}`), true, yes)
  }
  for (const no of ['false', '0', '"0"', '"false"']) assert.equal(await remove('', `{"remove_data":${no}}`), false, no)
  for (const bad of ['2', '"yes"', '[true]', '{}', '"TRUE"']) {
    assert.equal(await remove('', `{"remove_data":${bad}}`), '400 InvalidParameter', bad)
  }
  assert.equal(await remove('?remove_data=1'), true)
  assert.equal(await remove('?remove_data=1', 'remove_data=0'), false)
})

test('remove_data is required before anything is looked up', async () => {
  assert.equal(await remove(''), '400 MissingParameter')
  assert.equal(await remove('?remove_data='), '400 MissingParameter')
  const unknown = await ask(server.port, '/downloads/xyz', { method: 'DELETE' })
  assert.equal(unknown.status, 400)
  assert.equal((await ask(server.port, '/downloads/xyz?remove_data=1', { method: 'DELETE' })).status, 404)
})

test('hops are whole and from 0 to 3', async () => {
  for (const bad of ['4', '-1', '1.5', 'x', '1e0'])
    assert.equal(await add(`uri=a&anon_hops=${bad}`), 'InvalidParameter', bad)
  assert.equal(await add('{"uri":"a","anon_hops":1.5}'), 'InvalidParameter')
  assert.equal(await add('{"uri":"a","anon_hops":true}'), 'InvalidParameter')
  assert.deepEqual(await add('uri=a&anon_hops=3'), { uri: 'a', anon_hops: 3 })
})

test('anon_hops must be alone in a PATCH', async () => {
  assert.deepEqual(await patch('anon_hops=0'), { anon_hops: 0 })
  assert.deepEqual(await patch('anon_hops=0&unknown=1'), { anon_hops: 0 })
  assert.equal(await patch('anon_hops=0&state=stop'), 'InvalidParameter')
  assert.equal(await patch('{"anon_hops":1,"selected_files":[]}'), 'InvalidParameter')
})

test('PATCH takes lists and the three states', async () => {
  assert.deepEqual(await patch('{"selected_files":[]}'), { selected_files: [] })
  assert.deepEqual(await patch('selected_files[]=3'), { selected_files: [3] })
  assert.deepEqual(await patch('selected_files=3&state=stop'), { selected_files: [3], state: 'stop' })
  assert.deepEqual(await patch(''), {})
  assert.equal(await patch('state=start'), 'InvalidParameter')
  assert.equal(await patch('selected_files[]=-1'), 'InvalidParameter')
  assert.equal(await patch('selected_files[]=1&selected_files[]='), 'InvalidParameter')
  assert.equal(await patch('state=stop&state=resume'), 'InvalidParameter')
})

test('broken JSON is refused as such', async () => {
  for (const body of ['{', '{"uri":', '{"uri":"a"}x', '{uri:1}']) assert.equal(await add(body), 'BadRequest', body)
  const answer = await ask(server.port, '/settings', { method: 'POST', body: 'a=1' })
  assert.equal(envelope(answer).code, 'BadRequest')
})

test('the message names the parameter and what is expected', async () => {
  const answer = await ask(server.port, '/downloads', { method: 'PUT', body: 'uri=a&anon_hops=9' })
  assert.match(envelope(answer).message, /anon_hops.*0.*3/)
})
