// Guesses keys of a node at a given rate, in a process of its own, so that the test that asks beside it is not slowed:
// `node key-guesser.js PORT RATE`. Writes a line with the guesses that were answered, by status, each second.

import { Agent, request } from 'node:http'

const [port, rate] = process.argv.slice(2).map(Number)
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const TICK_MS = 10
const answered: Record<string, number> = {}
let asking = 0
let guesses = 0

function guess(): void {
  asking += 1
  guesses += 1
  const headers = { 'X-Api-Key': `guess-${guesses}` }
  const asked = request({ host: '127.0.0.1', port, path: '/state', agent, headers }, answer => {
    const status = String(answer.statusCode)
    answered[status] = (answered[status] ?? 0) + 1
    answer.resume().on('close', () => (asking -= 1))
  })
  asked.on('error', () => (asking -= 1)).end()
}

setInterval(() => {
  for (let n = 0; n < ((rate ?? 0) * TICK_MS) / 1000 && asking < 512; n++) guess()
}, TICK_MS)
setInterval(() => process.stdout.write(`${JSON.stringify(answered)}\n`), 1000)
