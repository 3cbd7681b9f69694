// Whatever a name server sends gives addresses or a DecodeError; a question is read back from an answer that repeats
// it.

import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { DecodeError } from '../../src/base/errors.ts'
import { type DnsQuestion, decodeDnsAnswer, encodeDnsQuestion } from '../../src/wire/net/dns-message.ts'
import { fuzz } from '../kit/sim/fuzz.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_'

/** An answer as a name server writes it: the question, and a record for each of `addresses`. */
function writeAnswer(question: DnsQuestion, addresses: readonly Uint8Array[]): Buffer {
  const head = Buffer.from(encodeDnsQuestion(question))
  head[2] = 0x81
  head.writeUInt16BE(addresses.length, 6)
  const type = question.family === 4 ? 1 : 28
  const records = addresses.map(bytes => [Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 9, 0, bytes.length]), bytes])
  return Buffer.concat([head, ...records.flat()])
}

fuzz('answers of name servers', 0.7, source => {
  const question: DnsQuestion = { id: 0x0101, host: 'a.example', family: source.pick([4, 6] as const) }
  const address = Uint8Array.from({ length: question.family === 4 ? 4 : 16 }, () => source.below(256))
  const bytes = source.pick([source.mutate(writeAnswer(question, [address, address])), source.bytes(80)])
  try {
    const { ips, code } = decodeDnsAnswer(bytes, question)
    assert.ok(code >= 0 && code < 16)
    for (const ip of ips) assert.equal(isIP(ip), question.family, ip)
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error))
  }
})

fuzz('questions and what answers them', 0.3, source => {
  const label = (): string => Array.from({ length: 1 + source.below(63) }, () => source.pick([...LETTERS])).join('')
  const host = Array.from({ length: 1 + source.below(3) }, label).join('.')
  const question: DnsQuestion = { id: source.below(65_536), host, family: source.pick([4, 6] as const) }
  const addresses = Array.from({ length: source.below(20) }, () =>
    Uint8Array.from({ length: question.family === 4 ? 4 : 16 }, () => source.below(256)),
  )
  assert.equal(decodeDnsAnswer(writeAnswer(question, addresses), question).ips.length, addresses.length)
})
