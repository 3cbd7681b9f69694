// Questions for addresses and their answers as bytes, laid out by hand from RFC 1035 and RFC 3596, and what is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { type DnsQuestion, decodeDnsAnswer, encodeDnsQuestion } from '../../../src/wire/net/dns-message.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** a.example */
const NAME = '01 61 07 6578616d706c65 00'
const V4: DnsQuestion = { id: 0xbeef, host: 'a.example', family: 4 }
const V6: DnsQuestion = { ...V4, family: 6 }
const QUESTION4 = `${NAME} 0001 0001`
const ADDRESS4 = 'c00c 0001 0001 0000003c 0004 c0000207'
/** The name is another one of b.example. */
const ALIAS = 'c00c 0005 0001 0000003c 0004 0162 c00e'

test('questions', () => {
  assert.deepEqual(Buffer.from(encodeDnsQuestion(V4)), hex(`beef 0100 0001 0000 0000 0000 ${QUESTION4}`))
  assert.deepEqual(Buffer.from(encodeDnsQuestion(V6)), hex(`beef 0100 0001 0000 0000 0000 ${NAME} 001c 0001`))
  assert.deepEqual(encodeDnsQuestion({ ...V4, host: 'a.example.' }), encodeDnsQuestion(V4))
})

test('what is no name of a host is not asked for', () => {
  const long = Array.from({ length: 5 }, () => 'a'.repeat(60)).join('.')
  for (const host of ['', '.', 'a..b', '.a', 'a b', 'ä.example', 'a\0.example', 'a'.repeat(64), long]) {
    assert.throws(() => encodeDnsQuestion({ ...V4, host }), DecodeError, host)
  }
})

test('answers: all addresses of the family, other names and other records on the way are passed over', () => {
  const answer = decodeDnsAnswer(
    hex(`beef 8180 0001 0003 0000 0000 ${QUESTION4} ${ALIAS} ${ADDRESS4} c00c 0001 0001 00000000 0004 c0000208`),
    V4,
  )
  assert.deepEqual(answer, { id: 0xbeef, code: 0, truncated: false, ips: ['192.0.2.7', '192.0.2.8'] })
  const ip6 = '20010db8000000000000000000000007'
  const six = decodeDnsAnswer(
    hex(`beef 8180 0001 0002 0000 0000 ${NAME} 001c 0001 c00c 001c 0001 00000000 0010 ${ip6} ${ADDRESS4}`),
    V6,
  )
  assert.deepEqual(six.ips, ['2001:db8::7'])
  const mapped = '00000000000000000000ffff7f000001'
  const coat = hex(`beef 8180 0001 0001 0000 0000 ${NAME} 001c 0001 c00c 001c 0001 00000000 0010 ${mapped}`)
  assert.deepEqual(decodeDnsAnswer(coat, V6).ips, ['::ffff:127.0.0.1'])
})

test('answers: other letters, no such name, refused without the question, cut short for a datagram', () => {
  const loud = hex('beef 8180 0001 0000 0000 0000 01 41 07 4558414d504c45 00 0001 0001')
  assert.deepEqual(decodeDnsAnswer(loud, V4).ips, [])
  assert.equal(decodeDnsAnswer(hex(`beef 8183 0001 0000 0000 0000 ${QUESTION4}`), V4).code, 3)
  assert.equal(decodeDnsAnswer(hex('beef 8185 0000 0000 0000 0000'), V4).code, 5)
  const cut = decodeDnsAnswer(hex(`beef 8380 0001 0005 0000 0000 ${QUESTION4} c00c 00`), V4)
  assert.deepEqual([cut.truncated, cut.ips], [true, []])
})

test('what is no answer to the question is refused', () => {
  const wrong = {
    'another number': `beee 8180 0001 0001 0000 0000 ${QUESTION4} ${ADDRESS4}`,
    'a question': `beef 0100 0001 0000 0000 0000 ${QUESTION4}`,
    'another type': `beef 8180 0001 0001 0000 0000 ${NAME} 001c 0001 ${ADDRESS4}`,
    'another name': 'beef 8180 0001 0000 0000 0000 01 62 07 6578616d706c65 00 0001 0001',
    'no question': `beef 8180 0000 0001 0000 0000 ${ADDRESS4}`,
    'two questions': `beef 8180 0002 0000 0000 0000 ${QUESTION4} ${QUESTION4}`,
    'fewer records than told': `beef 8180 0001 0002 0000 0000 ${QUESTION4} ${ADDRESS4}`,
    'an address of three bytes': `beef 8180 0001 0001 0000 0000 ${QUESTION4} c00c 0001 0001 00000000 0003 c00002`,
    'a label that is too long': `beef 8180 0001 0001 0000 0000 ${QUESTION4} 80 0001 0001 00000000 0004 c0000207`,
    nothing: '',
  }
  for (const [what, bytes] of Object.entries(wrong)) {
    assert.throws(() => decodeDnsAnswer(hex(bytes), V4), DecodeError, what)
  }
})
